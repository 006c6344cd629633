import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ConnectionTests {
  @Test func aConnectionBeyondTheLimitIsRefusedAndOthersDoNotNotice() throws {
    let daemon = try TestDaemon {
      $0.maximumConnections = 5
      $0.maximumConnectionsPerUser = 2
    }
    let first = try daemon.connect(user: 1000)
    let watch = first.stream("Subscribe")
    _ = try daemon.connect(user: 1000)
    #expect(daemon.tryConnect(user: 1000) == nil)
    let other = try daemon.connect(user: 1001)
    // Root has no limit per user, but counts in total.
    _ = try daemon.connect(user: 0)
    _ = try daemon.connect(user: 0)
    #expect(daemon.tryConnect(user: 0) == nil)
    #expect(daemon.tryConnect(user: 1002) == nil)
    #expect(daemon.service.connections.counters.refused == 3)
    try other.call("Open", ["client": "reader"])
    #expect(!watch.hasEnded && !first.isClosed)
    other.hangUp()
    #expect(daemon.tryConnect(user: 1002) != nil)
  }

  @Test func aClosedConnectionMakesRoomForAnother() throws {
    let daemon = try TestDaemon { $0.maximumConnectionsPerUser = 1 }
    for _ in 0..<10 {
      let client = try daemon.connect()
      try client.call("Open", ["client": "reader"])
      client.hangUp()
    }
    #expect(daemon.service.connections.count == 0)
  }

  @Test func aSessionBeyondTheLimitIsRefusedAndOthersContinue() throws {
    let daemon = try TestDaemon { $0.maximumSessionsPerUser = 2 }
    let client = try daemon.connect(user: 1000)
    let first = try client.call("Open", ["client": "one"])["session"]
    try client.call("Open", ["client": "two"])
    #expect(throws: CallError("TooManySessions", ["limit": 2])) { try client.call("Open", ["client": "three"]) }
    // Opening a client again, or resuming it, adds no session; other users and root have their own.
    try client.call("Open", ["client": "two"])
    try client.call("Open", ["client": "one", "session": first])
    try daemon.connect(user: 1001).call("Open", ["client": "one"])
    let root = try daemon.connect(user: 0)
    for name in ["a", "b", "c"] { try root.call("Open", ["client": .string(name)]) }
    try client.call("Close", ["session": first])
    try client.call("Open", ["client": "three"])
    #expect(throws: CallError("TooManySessions", ["limit": 2])) { try client.call("Open", ["client": "four"]) }
  }

  @Test func sessionsAreCountedCorrectlyAfterAFullDiskAndARestart() throws {
    let daemon = try TestDaemon { $0.maximumSessionsPerUser = 2 }
    let client = try daemon.connect(user: 1000)
    try client.call("Open", ["client": "one"])
    daemon.fileSystem.capacity = 0
    let long = JSONTree.string(String(repeating: "x", count: 4096))
    // The space that is already reserved takes some.
    let isRefused = (0..<5000).contains { _ in
      let call = client.send("Open", ["client": "two", "title": long])
      daemon.settle()
      return call.error == CallError("NoSpace")
    }
    #expect(isRefused)
    daemon.fileSystem.capacity = .max
    #expect(daemon.service.sessions.count(of: 1000) == daemon.service.sessions.open.count)
    let next = try daemon.restarted()
    #expect(next.service.sessions.count(of: 1000) == next.service.sessions.open.count)
    #expect(!next.service.sessions.open.isEmpty)
  }

  @Test func aSubscriptionBeyondTheLimitIsRefusedUntilAnotherEnds() throws {
    let daemon = try TestDaemon { $0.maximumSubscriptionsPerUser = 2 }
    let first = try daemon.connect(user: 1000)
    _ = first.stream("Subscribe")
    let second = try daemon.connect(user: 1000).stream("Subscribe")
    let tooMany = try daemon.connect(user: 1000).stream("Subscribe")
    #expect(tooMany.error == CallError("TooManySubscriptions", ["limit": 2]))
    #expect(try daemon.connect(user: 0).stream("Subscribe").error == nil)
    first.hangUp()
    #expect(try daemon.connect(user: 1000).stream("Subscribe").error == nil)
    #expect(!second.hasEnded && daemon.service.subscriptions.count == 3)
  }

  @Test func pipelinedCallsAreAnsweredInOrderWhateverEachWaitsFor() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = true
    var order: [Int] = []
    var calls: [(Int, TestCall)] = []
    for index in 0..<40 {
      let call =
        switch index % 4 {
        case 0: client.send("Append", ["session": session, "events": .array(Gestures.flips(2))])
        case 1: client.send("Get", ["client": "nobody"])
        case 2: client.send("Append", ["session": session, "events": []])
        default: client.send("org.varlink.service.GetInfo")
        }
      calls.append((index, call))
    }
    for step in 0..<400 {
      if step % 20 == 19 { daemon.finishJob() }
      daemon.turn()
      for (index, call) in calls where call.hasEnded && !order.contains(index) { order.append(index) }
    }
    daemon.release()
    for (index, call) in calls where call.hasEnded && !order.contains(index) { order.append(index) }
    #expect(order == Array(0..<40))
    #expect(calls[38].1.error == CallError("InvalidParameter", ["parameter": "events"]))
    #expect(calls[37].1.error == CallError("NoSuchClient"))
  }

  @Test func callsBehindAStreamWaitForItsEnd() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let listener = try daemon.connect()
    let requests = listener.stream("Requests", ["session": session])
    let behind = listener.send("Open", ["client": "behind"])
    daemon.settle()
    #expect(!behind.hasEnded)
    #expect(daemon.service.lastPosition == 1)
    try client.call("Close", ["session": session])
    #expect(requests.error == CallError("SessionClosed"))
    #expect(behind.hasEnded && behind.error == nil)
  }

  @Test func aConnectionWithManyCallsDoesNotStarveOthers() throws {
    let daemon = try TestDaemon()
    let flood = try daemon.connect(user: 1000)
    let other = try daemon.connect(user: 1001)
    let calls = (0..<1000).map { _ in flood.send("org.varlink.service.GetInfo") }
    daemon.turn()
    let taken = calls.count(where: \.hasEnded)
    #expect(taken > 0 && taken <= 2 * Connections.callsPerTurn)
    // The daemon receives nothing more until then.
    #expect(!daemon.service.wantsInput(on: flood.id))
    let call = other.send("org.varlink.service.GetInfo")
    daemon.turn()
    #expect(call.hasEnded)
    #expect(calls.count(where: \.hasEnded) < 400)
    daemon.settle()
    #expect(calls.allSatisfy { $0.hasEnded })
    #expect(daemon.service.wantsInput(on: flood.id))
  }

  @Test func aFloodBehindAStreamIsNotReceived() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    _ = client.stream("Subscribe")
    for _ in 0..<2000 { client.send("Open", ["client": "reader"]) }
    daemon.settle()
    #expect(!daemon.service.wantsInput(on: client.id))
    #expect(client.hasOutput)
    #expect((daemon.service.connections[client.id]?.bufferedInputCount ?? .max) < 160 << 10)
    client.hangUp()
    #expect(daemon.service.connections.count == 0)
  }

  @Test func aFullBlockMakesPeersWaitUntilItIsWritten() throws {
    let daemon = try TestDaemon()
    let clients = try (0..<4).map { _ in try daemon.connect() }
    var sessions: [JSONTree] = []
    for (index, client) in clients.enumerated() {
      sessions.append(try client.call("Open", ["client": .string("reader/\(index)")])["session"])
    }
    daemon.service.commit.maximumBlockSize = 16 << 10
    daemon.isHolding = true
    let events = [JSONTree](repeating: Gestures.layout, count: 100)
    var calls: [TestCall] = []
    for _ in 0..<13 {
      for (client, session) in zip(clients, sessions) {
        calls.append(client.send("Append", ["session": session, "events": .array(events)]))
      }
    }
    daemon.settle()
    #expect(clients.allSatisfy { !daemon.service.wantsInput(on: $0.id) })
    #expect(daemon.service.commit.pendingBytes < 24 << 10)
    daemon.release()
    for call in calls { #expect(call.error == nil && call.hasEnded) }
    #expect(daemon.service.lastPosition == 4 + 52 * 100)
  }

  @Test func aClientThatDoesNotReadItsAnswersGetsNoMore() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let client = try daemon.connect()
    client.window = 0
    let calls = (0..<3000).map { _ in client.send("org.varlink.service.GetInfo") }
    daemon.settle()
    #expect(!daemon.service.wantsInput(on: client.id))
    #expect((daemon.service.connections[client.id]?.bufferedOutputCount ?? 0) < 18 << 10)
    client.read()
    #expect(calls.allSatisfy { $0.hasEnded })
  }

  @Test func callsBehindManyDelayedAnswersAreTakenEventually() throws {
    // Answers delayed by an earlier one count as well, and are released bit by bit.
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = true
    var calls: [TestCall] = []
    for _ in 0..<6 {
      calls.append(client.send("Append", ["session": session, "events": .array(Gestures.flips(1))]))
      for _ in 0..<20 { calls.append(client.send("org.varlink.service.GetInfo")) }
      daemon.settle()
    }
    for _ in 0..<20 {
      daemon.finishJob()
      daemon.settle()
    }
    daemon.release()
    #expect(calls.allSatisfy { $0.hasEnded })
  }

  @Test func aProtocolViolationEndsOnlyItsOwnConnection() throws {
    let daemon = try TestDaemon()
    let other = try daemon.connect()
    let client = try daemon.connect()
    client.send(raw: Array("[]\0".utf8))
    daemon.settle()
    #expect(client.isClosed)
    #expect(daemon.service.connections.counters.violations == 1)
    try other.call("Open", ["client": "reader"])
  }

  @Test func aPeerThatEndsItsSideGetsItsAnswerBeforeTheConnectionCloses() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    daemon.isHolding = true
    let call = client.send("Open", ["client": "reader"])
    daemon.settle()
    client.endSending()
    #expect(!client.isClosed)
    daemon.release()
    #expect(call.hasEnded && call.error == nil)
    #expect(client.isClosed)
  }

  @Test func eventsOfAPeerThatIsGoneBeforeItsAnswerAreStored() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = true
    client.send("Append", ["session": session, "events": .array(Gestures.flips(5))])
    daemon.settle()
    client.hangUp()
    daemon.release()
    #expect(daemon.service.lastPosition == 6)
  }
}

@Suite struct StoppingTests {
  @Test func aStopCommitsAndAnswersAcceptedCallsAndClosesTheLogCleanly() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let watch = try daemon.connect().stream("Subscribe")
    daemon.isHolding = true
    let first = client.send("Append", ["session": session, "events": .array(Gestures.flips(5))])
    daemon.settle()
    let second = client.send("Append", ["session": session, "events": .array(Gestures.flips(5))])
    let sync = try daemon.connect(user: 0).send("Sync")
    daemon.settle()
    daemon.service.stop()
    let late = client.send("Append", ["session": session, "events": .array(Gestures.flips(5))])
    daemon.settle()
    #expect(daemon.end == nil)
    daemon.release()
    #expect(daemon.end == .stopped)
    #expect(try first.answer()["position"] == 6)
    #expect(try second.answer()["position"] == 11)
    #expect(try sync.answer()["position"] == 11)
    #expect(!late.hasEnded)
    #expect(watch.replies.last?["position"] == 11)
    let next = try daemon.restarted()
    #expect(next.service.lastPosition == 11)
    #expect(next.service.log.generations.current == 1)
    #expect(!next.log.notes.contains { "\($0)".contains("torn") })
  }

  @Test func anIdleDaemonStopsAtOnce() throws {
    let daemon = try TestDaemon()
    daemon.service.stop()
    daemon.settle()
    #expect(daemon.end == .stopped)
  }

  /// The user's other sessions may have filled the user's part of the block.
  @Test func aSessionOfAGoneConnectionIsClosedOnceItsUserHasRoom() throws {
    let daemon = try TestDaemon()
    let feeder = try daemon.connect()
    let session = try feeder.call("Open", ["client": "busy"])["session"]
    let leaving = try daemon.connect()
    try leaving.call("Open", ["client": "leaving", "closeOnDisconnect": true])
    daemon.isHolding = true
    let events = JSONTree.array([JSONTree](repeating: Gestures.layout, count: 1000))
    let calls = (0..<6).map { _ in
      let call = feeder.send("Append", ["session": session, "events": events])
      daemon.settle()
      return call
    }
    let share = try #require(daemon.service.connections.users[1000])
    #expect(daemon.service.commit.isFull(for: share))
    leaving.hangUp()
    #expect(daemon.service.sessions.open.count == 2)
    daemon.release()
    #expect(calls.allSatisfy { $0.hasEnded })
    #expect(daemon.service.sessions.open.count == 1)
  }
}
