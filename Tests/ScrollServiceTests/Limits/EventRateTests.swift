import ScrollModel
import Testing

@testable import ScrollService

@Suite struct EventRateTests {
  private func append(_ session: JSONTree, _ count: Int) -> [String: JSONTree] {
    ["session": session, "events": .array([JSONTree](repeating: Gestures.layout, count: count))]
  }

  @Test func eventsUpToTheLimitAreTakenAtOnceAndTheRestWaits() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 1000 }
    let client = try daemon.connect()
    // Opening counts as 16 events.
    let session = try client.call("Open", ["client": "reader"])["session"]
    let calls = (0..<4).map { _ in client.send("Append", .object(append(session, 333))) }
    daemon.settle()
    #expect(calls.map(\.hasEnded) == [true, true, true, false])
    #expect(!daemon.service.wantsInput(on: client.id))
    #expect(daemon.service.connections.counters.throttles == 1)
    #expect(daemon.service.nextDue == daemon.clock.monotonic + 25_000)
    daemon.clock.monotonic += 24_999
    daemon.settle()
    #expect(!calls[3].hasEnded)
    daemon.clock.monotonic += 1
    daemon.settle()
    #expect(calls[3].hasEnded && calls[3].error == nil)
    #expect(daemon.service.lastPosition == 1 + 4 * 333)
    // 323 events of debt.
    #expect(daemon.service.nextDue == daemon.clock.monotonic + 333_000)
    daemon.clock.monotonic += 333_000
    daemon.settle()
    #expect(daemon.service.nextDue == nil)
    #expect(daemon.service.wantsInput(on: client.id))
  }

  @Test func allConnectionsOfAThrottledUserWaitAndOthersDoNot() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let first = try daemon.connect(user: 1000)
    let second = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    let root = try daemon.connect(user: 0)
    let watch = try daemon.connect(user: 1000).stream("Subscribe")
    let session = try first.call("Open", ["client": "reader"])["session"]
    try first.call("Append", .object(append(session, 500)))
    let waiting = [
      first.send("Append", .object(append(session, 1))), second.send("org.varlink.service.GetInfo"),
    ]
    daemon.settle()
    #expect(waiting.allSatisfy { !$0.hasEnded })
    for (client, name) in [(other, "other"), (root, "root")] {
      let session = try client.call("Open", ["client": .string(name)])["session"]
      #expect(try client.call("Append", .object(append(session, 50)))["nextNumber"] == 51)
    }
    // Root's events are not counted.
    let roots = try root.call("Open", ["client": "many"])["session"]
    for _ in 0..<3 { try root.call("Append", .object(append(roots, 4096))) }
    // Throttling concerns what a user sends, not what it receives.
    #expect(watch.replies.last?["position"] != .null)
    #expect(waiting.allSatisfy { !$0.hasEnded })
    daemon.wait(seconds: 5)
    #expect(waiting.allSatisfy { $0.hasEnded && $0.error == nil })
  }

  @Test func onewayCallsWaitToo() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    for _ in 0..<10 { client.send("Append", .object(append(session, 100)), .oneway) }
    daemon.settle()
    #expect(daemon.service.lastPosition == 1 + 100)
    for second in 1...9 {
      daemon.clock.advance(seconds: 1)
      daemon.settle()
      // The budget began with a second's worth, of which opening took 16.
      #expect(daemon.service.lastPosition <= 1 + 100 * (Int64(second) + 1))
    }
    daemon.clock.advance(seconds: 1)
    daemon.settle()
    #expect(daemon.service.lastPosition == 1 + 1000)
    #expect(daemon.service.connections.counters.onewayCallsRefused == 0)
  }

  @Test func refusedAndKnownEventsCountToo() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let bad: JSONTree = ["session": session, "events": .array([JSONTree](repeating: 1, count: 100))]
    #expect(throws: CallError.self) { try client.call("Append", bad) }
    let next = client.send("Append", .object(append(session, 1)))
    daemon.settle()
    #expect(!next.hasEnded)
  }

  @Test func theConnectionsOfAUserTakeTurns() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let clients = try (0..<4).map { _ in try daemon.connect() }
    let sessions = try clients.indices.map {
      try clients[$0].call("Open", ["client": .string("reader/\($0)")])["session"]
    }
    let calls = zip(clients, sessions).map { client, session in
      (0..<6).map { _ in client.send("Append", .object(append(session, 100))) }
    }
    daemon.settle()
    for _ in 0..<2 * clients.count * 6 {
      daemon.clock.monotonic += 500_000
      daemon.settle()
      let done = calls.map { $0.count(where: \.hasEnded) }
      #expect((done.max() ?? 0) - (done.min() ?? 0) <= 2, "\(done)")
    }
    #expect(calls.allSatisfy { $0.allSatisfy(\.hasEnded) })
  }

  @Test func aUserThatReconnectsKeepsItsBudget() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    try client.call("Append", .object(append(session, 1099)))
    client.hangUp()
    daemon.wait(seconds: 5)
    let call = try daemon.connect().send("org.varlink.service.GetInfo")
    daemon.settle()
    #expect(!call.hasEnded)
    daemon.wait(seconds: 10)
    #expect(call.hasEnded)
  }

  @Test func aThrottledPeerThatEndsItsSideGetsItsAnswers() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let calls = (0..<3).map { _ in client.send("Append", .object(append(session, 100))) }
    daemon.settle()
    client.endSending()
    #expect(!client.isClosed)
    daemon.wait(seconds: 10)
    #expect(calls.allSatisfy { $0.hasEnded && $0.error == nil })
    #expect(client.isClosed)
  }

  @Test func openingAClientAgainWritesTwoRecordsAndWasChargedForOne() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 160 }
    let client = try daemon.connect()
    let calls = (0..<12).map { _ in client.send("Open", ["client": "reader"]) }
    daemon.settle()
    // 16 events, and 17 for each later one, which also closes a session.
    #expect(calls.count(where: \.hasEnded) == 10)
    #expect(daemon.service.lastPosition == 19)
  }

  @Test func sessionsThatCloseWithTheirConnectionAreCharged() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 132 }
    let client = try daemon.connect()
    for index in 0..<8 { client.send("Open", ["client": .string("c\(index)"), "closeOnDisconnect": true]) }
    daemon.settle()
    #expect(daemon.service.connections.users[1000]?.isSpent == false)
    client.hangUp()
    #expect(daemon.service.connections.users[1000]?.isSpent == true)
  }

  @Test func openingsWithLongTextsCostOneEventAndPushedOutTheHistoryOfOthers() throws {
    let daemon = try TestDaemon { $0.maximumBytesPerSecond = 64 << 10 }
    let client = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    let root = try daemon.connect(user: 0)
    let title = JSONTree.string(String(repeating: "t", count: 4096))
    func open(_ client: TestClient, _ count: Int) -> [TestCall] {
      (0..<count).map { index in
        client.send("Open", ["client": .string("c\(index)"), "title": title, "application": title])
      }
    }
    let calls = open(client, 20)
    let roots = open(root, 20)
    daemon.settle()
    // Each takes a little more than 8 KiB.
    #expect(calls.count(where: \.hasEnded) == 8)
    #expect(roots.allSatisfy { $0.hasEnded })
    #expect(
      daemon.journal.messages.last == "user 1000 writes more than 65536 bytes per second to the log and is throttled")
    #expect(!daemon.service.wantsInput(on: client.id) && daemon.service.wantsInput(on: other.id))
    #expect(open(other, 1).count == 1)
    let due = try #require(daemon.service.nextDue)
    #expect(due > daemon.clock.monotonic && due < daemon.clock.monotonic + 200_000)
    daemon.clock.monotonic = due
    daemon.settle()
    #expect(calls.count(where: \.hasEnded) == 9)
    daemon.clock.advance(seconds: 1)
    daemon.settle()
    #expect(calls.count(where: \.hasEnded) == 16)
  }
}
