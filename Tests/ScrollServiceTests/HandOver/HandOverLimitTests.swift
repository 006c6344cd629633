import Testing

@testable import ScrollService

/// The limits and the gauges of a daemon that has just taken connections over.
@Suite struct HandOverLimitTests {
  private static let gauges = ["sessions", "connections", "subscribers"]

  private func replace(_ daemon: TestDaemon, isKilled: Bool) throws {
    if isKilled { try daemon.kill() } else { try daemon.restart() }
  }

  @Test(arguments: [false, true])
  func theGaugesAreThoseOfTheDaemonBefore(isKilled: Bool) throws {
    let daemon = try TestDaemon()
    let manager = try daemon.connect(user: 0)
    var clients: [TestClient] = []
    for index in 0..<3 {
      let client = try daemon.connect()
      try client.call("Open", ["client": .string("c\(index)")])
      clients.append(client)
    }
    let subscriber = try daemon.connect(user: 1001)
    let watch = subscriber.stream("Subscribe")
    let before = try manager.call("Statistics")
    #expect(Self.gauges.map { before[$0] } == [3, 5, 1])
    try replace(daemon, isKilled: isKilled)
    let after = try manager.call("Statistics")
    for gauge in Self.gauges { #expect(after[gauge] == before[gauge], "\(gauge)") }
    #expect(!watch.hasEnded)
    subscriber.hangUp()
    for client in clients { client.hangUp() }
    let later = try manager.call("Statistics")
    #expect(Self.gauges.map { later[$0] } == [3, 1, 0])
  }

  @Test(arguments: [false, true])
  func aUserHasNoMoreConnectionsThanBefore(isKilled: Bool) throws {
    let daemon = try TestDaemon { $0.maximumConnectionsPerUser = 3 }
    let clients = try (0..<3).map { _ in try daemon.connect() }
    for client in clients { try client.call("org.varlink.service.GetInfo") }
    try replace(daemon, isKilled: isKilled)
    #expect(daemon.tryConnect() == nil)
    // The places of others are free.
    let others = try (0..<3).map { _ in try daemon.connect(user: 1001) }
    #expect(daemon.tryConnect(user: 1001) == nil)
    others[0].hangUp()
    #expect(daemon.tryConnect() == nil)
    clients[0].hangUp()
    #expect(daemon.tryConnect() != nil)
    #expect(daemon.tryConnect() == nil)
  }

  @Test(arguments: [false, true])
  func aUserHasNoMoreSessionsThanBefore(isKilled: Bool) throws {
    let daemon = try TestDaemon { $0.maximumSessionsPerUser = 2 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "a"])["session"]
    try client.call("Open", ["client": "b"])
    try replace(daemon, isKilled: isKilled)
    #expect(throws: CallError("TooManySessions", ["limit": 2])) { try client.call("Open", ["client": "c"]) }
    try client.call("Close", ["session": session])
    try client.call("Open", ["client": "c"])
    #expect(throws: CallError("TooManySessions", ["limit": 2])) { try client.call("Open", ["client": "d"]) }
  }

  @Test(arguments: [false, true])
  func aUserHasNoMoreSubscriptionsThanBefore(isKilled: Bool) throws {
    let daemon = try TestDaemon { $0.maximumSubscriptionsPerUser = 2 }
    let subscribers = try (0..<2).map { _ in try daemon.connect() }
    let streams = subscribers.map { $0.stream("Subscribe") }
    try replace(daemon, isKilled: isKilled)
    #expect(streams.allSatisfy { !$0.hasEnded })
    let refused = CallError("TooManySubscriptions", ["limit": 2])
    #expect(try daemon.connect().stream("Subscribe").error == refused)
    #expect(try daemon.connect(user: 1001).stream("Subscribe").error == nil)
    subscribers[0].hangUp()
    #expect(try daemon.connect().stream("Subscribe").error == nil)
    #expect(try daemon.connect().stream("Subscribe").error == refused)
  }

  /// Requests count for their user until they are answered, also those of the daemon before.
  @Test func unansweredRequestsStillCount() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 1_000_000 }
    let caller = try daemon.connect()
    var accepted = 0
    for index in 0..<17 {
      // Half of them are the daemon's before.
      if index == 8 { try daemon.restart() }
      let feeder = try daemon.connect()
      let session = try feeder.call("Open", ["client": .string("c\(index)")])["session"]
      _ = feeder.stream("Requests", ["session": session])
      let calls = (0..<SessionRequests.limit).map { _ in
        caller.send("Scroll", ["client": .string("c\(index)"), "target": "top"])
      }
      daemon.settle()
      accepted += calls.count { $0.error == nil }
    }
    #expect(accepted == Sessions.requestsPerUser)
  }

  /// The state of a connection has no place for what its user has used, but nothing may become unlimited by a restart.
  @Test(arguments: [false, true])
  func theRateOfAUserIsLimitedFromTheFirstCallOn(isKilled: Bool) throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 100 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    try replace(daemon, isKilled: isKilled)
    var calls: [TestCall] = []
    for index in 0..<50 {
      let number = JSONTree.int(Int64(index) * 10 + 1)
      calls.append(
        client.send("Append", ["session": session, "number": number, "events": .array(Gestures.flips(10))]))
    }
    daemon.settle()
    let answered = calls.count { $0.hasEnded }
    #expect(answered > 0 && answered < 50, "\(answered) of 50 calls of 10 events were answered at once")
    daemon.wait(seconds: 20)
    #expect(calls.allSatisfy { $0.hasEnded && $0.error == nil })
  }
}
