import ScrollModel
import Testing

@testable import ScrollService

@Suite struct BufferTests {
  private static let piece = 64 << 10

  /// Sends the beginning of a message that never ends.
  private func sendHalf(_ count: Int, from client: TestClient, _ daemon: TestDaemon) {
    let bytes = [UInt8](repeating: UInt8(ascii: " "), count: count)
    bytes.withUnsafeBytes { daemon.service.receive($0, on: client.id) }
    daemon.settle()
  }

  @Test func oneByteBeyondAUsersLimitClosesItsHeaviestConnection() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let clients = try (0..<4).map { _ in try daemon.connect(user: 1000) }
    let bystander = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    sendHalf(400 << 10, from: clients[0], daemon)
    sendHalf(401 << 10, from: clients[1], daemon)
    sendHalf(223 << 10, from: clients[2], daemon)
    #expect(daemon.service.connections.users[1000]?.bufferedBytes == 1 << 20)
    #expect(clients.allSatisfy { !$0.isClosed })
    sendHalf(1, from: clients[3], daemon)
    #expect(clients.map(\.isClosed) == [false, true, false, false])
    #expect(daemon.service.connections.counters.dropped == 1)
    // Refusals within the same minute are counted, and logged at its end.
    #expect(daemon.journal.messages.last?.hasPrefix("user 1000 sends more than 524288 bytes per second") == true)
    daemon.clock.monotonic += 60_000_000
    daemon.settle()
    daemon.service.tick()
    #expect(
      daemon.journal.messages.last
        == "user 1000, since the last message: 1 connection closed for using too much memory")
    #expect(daemon.service.connections.users[1000]?.bufferedBytes == (623 << 10) + 1)
    try bystander.call("Open", ["client": "reader"])
    try other.call("Open", ["client": "reader"])
  }

  @Test func connectionsWithUnfinishedMessagesAreThrottled() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let first = try daemon.connect(user: 1000)
    let second = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    sendHalf(1, from: other, daemon)
    // Half of the limit per second.
    sendHalf((512 << 10) - 1, from: first, daemon)
    #expect(daemon.service.wantsInput(on: first.id))
    sendHalf(1, from: first, daemon)
    #expect(!daemon.service.wantsInput(on: first.id))
    #expect(daemon.service.wantsInput(on: second.id) && daemon.service.wantsInput(on: other.id))
    try second.call("Open", ["client": "reader"])
    #expect(daemon.service.connections.counters.throttles == 1)
    #expect(
      daemon.journal.messages.last
        == "user 1000 sends more than 524288 bytes per second in incomplete messages and is throttled")
    // It waits for a hundredth of a second's worth: 5,242 bytes.
    let due = try #require(daemon.service.nextDue)
    #expect(due == daemon.clock.monotonic + 9_999)
    daemon.clock.monotonic = due - 1
    daemon.settle()
    #expect(!daemon.service.wantsInput(on: first.id))
    daemon.clock.monotonic = due
    daemon.settle()
    #expect(daemon.service.wantsInput(on: first.id))
    #expect(daemon.service.nextDue == nil)
  }

  @Test func completeMessagesDoNotCountAsUnfinished() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 128 << 10 }
    let client = try daemon.connect(user: 1000)
    let session = try client.call("Open", ["client": "reader"])["session"]
    let append: [String: JSONTree] = [
      "session": session, "events": .array([JSONTree](repeating: Gestures.layout, count: 100)),
    ]
    let bytes = daemon.service.connections.counters.bytesReceived
    while daemon.service.connections.counters.bytesReceived < bytes + (256 << 10) {
      try client.call("Append", .object(append))
      #expect(daemon.service.wantsInput(on: client.id))
      // At this rate, neither do the events.
      daemon.clock.monotonic += 10_000
    }
  }

  @Test func newConnectionsOfAUserWithManyViolationsAreThrottled() throws {
    let daemon = try TestDaemon()
    let old = try daemon.connect(user: 1000)
    try old.call("Open", ["client": "reader"])
    let fresh = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    for count in 1...ConnectionLimits(Configuration()).violationsPerSecond {
      #expect(daemon.service.wantsInput(on: fresh.id))
      let bad = try daemon.connect(user: 1000)
      [UInt8](arrayLiteral: 120, 0).withUnsafeBytes { daemon.service.receive($0, on: bad.id) }
      daemon.settle()
      #expect(bad.isClosed)
      #expect(daemon.service.connections.counters.violations == count)
    }
    #expect(!daemon.service.wantsInput(on: fresh.id))
    #expect(daemon.service.wantsInput(on: old.id) && daemon.service.wantsInput(on: other.id))
    // One more is permitted after a hundredth of a second.
    #expect(daemon.service.nextDue == daemon.clock.monotonic + 10_000)
    daemon.clock.monotonic += 10_000
    daemon.settle()
    #expect(daemon.service.wantsInput(on: fresh.id))
    try fresh.call("Open", ["client": "again"])
    // Its violations are logged, and forgotten once the budget is full again.
    for client in [old, fresh] { client.hangUp() }
    for _ in 0..<2 {
      daemon.clock.monotonic += RefusalCount.interval
      daemon.service.tick()
    }
    #expect(daemon.service.connections.users[1000]?.connections == 0, "its sessions are still open")
  }

  @Test func unfinishedMessagesOfRootAreNotThrottled() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let client = try daemon.connect(user: 0)
    sendHalf(1 << 20, from: client, daemon)
    #expect(daemon.service.wantsInput(on: client.id))
  }

  @Test func aConnectionThatEndsFreesItsMemory() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    for _ in 0..<5 {
      let client = try daemon.connect()
      sendHalf(1 << 20, from: client, daemon)
      #expect(!client.isClosed)
      client.hangUp()
    }
    #expect(daemon.service.connections.bufferedBytes == 0)
    #expect(daemon.service.connections.users[1000]?.bufferedBytes == 0)
  }

  @Test func beyondTheTotalLimitTheHeaviestUserLosesAConnection() throws {
    let daemon = try TestDaemon {
      $0.maximumBuffer = 3 << 20
      $0.maximumMessageSize = 2 << 20
    }
    let heavy = try (0..<2).map { _ in try daemon.connect(user: 1000) }
    sendHalf(900 << 10, from: heavy[0], daemon)
    sendHalf(1000 << 10, from: heavy[1], daemon)
    let light = try daemon.connect(user: 1001)
    sendHalf(1172 << 10, from: light, daemon)
    #expect(daemon.service.connections.bufferedBytes == 3 << 20)
    sendHalf(1, from: light, daemon)
    #expect(heavy.map(\.isClosed) == [false, true])
    #expect(!light.isClosed)
  }

  @Test func rootCountsTowardsTheTotalLimitOnly() throws {
    let daemon = try TestDaemon {
      $0.maximumBufferPerUser = 1 << 20
      $0.maximumBuffer = 2 << 20
    }
    let roots = try (0..<2).map { _ in try daemon.connect(user: 0) }
    sendHalf(1 << 20, from: roots[0], daemon)
    sendHalf(1 << 20, from: roots[1], daemon)
    #expect(roots.allSatisfy { !$0.isClosed })
    sendHalf(1, from: roots[0], daemon)
    #expect(roots.map(\.isClosed) == [true, false])
  }

  @Test func aDroppedMessageCanBeSentAgain() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    sendHalf((1 << 20) + 1, from: client, daemon)
    #expect(client.isClosed)
    let again = try daemon.connect()
    #expect(try again.call("Open", ["client": "reader", "session": session])["nextNumber"] == 1)
    #expect(
      try again.call("Append", ["session": session, "number": 1, "events": .array(Gestures.flips(9))])["nextNumber"]
        == 10)
  }

  @Test func manySlowSubscribersTakeHalfOfTheLimitAndLoseNothing() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 2 << 20 }
    let watchers = try (0..<16).map { _ in try daemon.connect() }
    let calls = watchers.map { $0.stream("Subscribe") }
    for watcher in watchers { watcher.window = 0 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    for _ in 0..<4 {
      try client.call("Append", ["session": session, "events": .array(Gestures.flips(300))])
      // The message that exceeds the limit is still sent.
      #expect((daemon.service.connections.users[1000]?.bufferedBytes ?? .max) <= (1 << 20) + 16 * 1024)
    }
    #expect(daemon.service.subscriptions.counters.fallenBehind >= 16)
    for watcher in watchers { watcher.read() }
    #expect(watchers.allSatisfy { !$0.isClosed })
    for call in calls { #expect(call.values("transition").count == calls[0].values("transition").count) }
    #expect(calls[0].values("transition").count > 1000)
  }

  @Test func withMoreConnectionsLessIsReceivedAtOnce() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 64 << 20 }
    let first = try daemon.connect()
    #expect(daemon.service.receiptLimit(of: first.id) == 64 << 10)
    for _ in 0..<255 { _ = try daemon.connect() }
    #expect(daemon.service.receiptLimit(of: first.id) == 32 << 10)
    let root = try daemon.connect(user: 0)
    #expect(daemon.service.receiptLimit(of: root.id) == 64 << 10)
  }

  @Test func connectionsThatAreGoneTakeNoPartOfTheMemory() throws {
    let daemon = try TestDaemon { $0.maximumBuffer = 64 << 20 }
    let root = try daemon.connect(user: 0)
    for _ in 0..<2 {
      let others = try (0..<255).map { _ in try daemon.connect(user: 0) }
      #expect(daemon.service.receiptLimit(of: root.id) == 32 << 10)
      for other in others { other.hangUp() }
      #expect(daemon.service.receiptLimit(of: root.id) == 64 << 10)
    }
  }
}
