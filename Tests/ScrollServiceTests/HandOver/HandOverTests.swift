import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct HandOverTests {
  private func feeder(_ daemon: TestDaemon, _ parameters: JSONTree = [:]) throws -> (
    client: TestClient, session: JSONTree
  ) {
    let client = try daemon.connect()
    var parameters = parameters
    parameters["client"] = "reader"
    return (client, try client.call("Open", parameters)["session"])
  }

  /// The parameters of an append from a number on.
  private func append(_ session: JSONTree, _ number: Int64, _ events: [JSONTree]) -> JSONTree {
    ["session": session, "number": .int(number), "events": .array(events)]
  }

  private func replace(_ daemon: TestDaemon, isKilled: Bool) throws {
    if isKilled { try daemon.kill() } else { try daemon.restart() }
  }

  @Test(arguments: [false, true])
  func feedersAndSubscribersContinue(isKilled: Bool) throws {
    let daemon = try TestDaemon()
    let watcher = try daemon.connect().stream("Subscribe")
    let (client, session) = try feeder(daemon)
    var number: Int64 = 1
    for round in 0..<20 {
      let answer = try client.call("Append", append(session, number, Gestures.flips(4)))
      number += 4
      #expect(answer["nextNumber"].int == number)
      if round % 2 == 0 { try replace(daemon, isKilled: isKilled) }
    }
    let messages = watcher.replies.filter(\.reportsAChange)
    let truth = try LogTruth(daemon)
    #expect(messages == truth.messages)
    #expect(watcher.values("caughtUp") == [true] && !watcher.hasEnded)
    #expect(daemon.service.connections.counters.resumed == 2)
    // The session continues as well, since it does not close with its connection.
    #expect(try client.call("Close", ["session": session]) == [:])
  }

  @Test func aStopAnswersAcceptedCallsAndLeavesTheRest() throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    daemon.isHolding = true
    let calls = (0..<3).map { client.send("Append", append(session, Int64($0) * 2 + 1, Gestures.flips(2))) }
    // The first call is being written, the second one waits for it, and the daemon has half of the third.
    client.deliver()
    daemon.service.advance()
    daemon.takeJob()
    let last = client.send("Append", append(session, 7, Gestures.flips(2)))
    client.deliver(40)
    try daemon.restart()
    for call in calls { #expect(try call.answer()["durable"] == true) }
    #expect(!last.hasEnded)
    daemon.settle()
    #expect(try last.answer()["position"].int == 9)
  }

  @Test func unsentOutputIsSentByTheNextDaemon() throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    let watcher = try daemon.connect()
    watcher.window = 100
    let watch = watcher.stream("Subscribe", ["after": 0])
    try client.call("Append", append(session, 1, Gestures.flips(200)))
    try daemon.restart()
    watcher.window = 5000
    daemon.settle()
    try daemon.restart()
    watcher.read()
    let truth = try LogTruth(daemon)
    #expect(watch.replies.filter(\.reportsAChange) == truth.messages)
    #expect(watch.values("caughtUp") == [true])
  }

  @Test func aSlowReaderGetsThePresentStatesAcrossARestart() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 1 << 10 }
    let feeder = try daemon.connect()
    var sessions: [JSONTree] = []
    for index in 0..<20 {
      sessions.append(try feeder.call("Open", ["client": .string("c\(index)")])["session"])
      try feeder.call("Append", ["session": sessions[index], "events": .array(Gestures.flips(3))])
    }
    let watcher = try daemon.connect()
    watcher.window = 300
    let watch = watcher.stream("Subscribe", ["detail": "frames"])
    try feeder.call("Append", ["session": sessions[0], "events": [Gestures.scroll(100)]])
    try daemon.restart()
    watcher.read()
    let caughtUp = try #require(watch.replies.firstIndex { $0["caughtUp"] == true })
    let present = watch.replies[..<caughtUp].filter { $0["state"] != .null }
    #expect(present.map { $0["state"]["client"] } == (0..<20).map { .string("c\($0)") })
    #expect(present.first?["state"]["toolbar"] == "hidden", "the state is newer than its position")
    #expect(watch.values("transition").map { $0["toolbar"] } == ["shown"])
  }

  @Test(arguments: [false, true])
  func scrollRequestsContinue(isKilled: Bool) throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    let requests = try daemon.connect().stream("Requests", ["session": session])
    let asker = try daemon.connect(user: 0)
    let target: JSONTree = ["client": "reader", "user": 1000, "target": "top"]
    let first = try asker.call("Scroll", target)["position"]
    let second = try asker.call("Scroll", target)["position"]
    try client.call("Respond", ["session": session, "request": first, "done": true])
    try replace(daemon, isKilled: isKilled)
    #expect(throws: CallError("NoSuchRequest")) {
      try client.call("Respond", ["session": session, "request": first, "done": true])
    }
    #expect(try client.call("Respond", ["session": session, "request": second, "done": true]) == [:])
    let third = try asker.call("Scroll", target)["position"]
    daemon.settle()
    #expect(requests.values("request").map { $0["request"] } == [first, second, third])
  }

  @Test(arguments: [false, true])
  func sessionsTiedToAConnectionCloseWithItAndNotBefore(isKilled: Bool) throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon, ["closeOnDisconnect": true])
    try replace(daemon, isKilled: isKilled)
    daemon.wait(seconds: 60)
    #expect(try client.call("Append", append(session, 1, Gestures.flips(1)))["nextNumber"] == 2)
    client.hangUp()
    #expect(daemon.service.sessions.open.isEmpty)
  }

  @Test(arguments: [false, true])
  func aGapSurvivesARestart(isKilled: Bool) throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    client.oneway("Append", ["session": session, "events": [["kind": "scroll", "time": 1, "x": 0]]])
    try replace(daemon, isKilled: isKilled)
    #expect(throws: CallError("NumberGap", ["expected": 1])) {
      try client.call("Append", ["session": session, "events": .array(Gestures.flips(1))])
    }
  }

  @Test func busyConnectionsEndWhenTheDaemonIsKilled() throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    let idle = try daemon.connect()
    try idle.call("org.varlink.service.GetInfo")
    let silent = try daemon.connect()
    daemon.isHolding = true
    client.send("Append", append(session, 1, Gestures.flips(2)))
    daemon.turn()
    try daemon.kill()
    #expect(client.isClosed && silent.isClosed && !idle.isClosed)
    // A connection with a oneway call is idle once the call is on disk.
    daemon.isHolding = false
    let next = try daemon.connect()
    try next.call("Open", ["client": "reader", "session": session])
    daemon.isHolding = true
    next.send("Append", append(session, 1, Gestures.flips(2)), .oneway)
    daemon.turn()
    #expect(daemon.service.idleState(of: next.id) == nil)
    daemon.release()
    #expect(daemon.service.idleState(of: next.id) != nil)
  }

  @Test func aHalfDoneReadEndsAndOneThatHasNotBegunRestarts() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 1 << 10 }
    let (client, session) = try feeder(daemon)
    try client.call("Append", append(session, 1, Gestures.flips(100)))
    let slow = try daemon.connect()
    slow.window = 300
    let read = slow.stream("Read")
    let waiting = try daemon.connect()
    waiting.window = 0
    // Its answer waits because the client reads nothing.
    let states = waiting.send("List", [:], .more)
    waiting.deliver()
    try daemon.restart()
    #expect(slow.isClosed && !read.hasEnded)
    waiting.read()
    #expect(states.hasEnded && states.values("state").count == 1)
  }

  /// Its log was removed while no daemon ran. What it had stored is nothing that a query has to wait for.
  @Test func aConnectionWhoseLogIsGoneIsAnswered() throws {
    let daemon = try TestDaemon()
    let (client, session) = try feeder(daemon)
    try client.call("Append", append(session, 1, Gestures.flips(6)))
    let state = try #require(daemon.service.idleState(of: client.id))
    let next = try TestDaemon()
    let resumed = TestClient(next, id: try #require(next.service.resume(state, client.peer)), peer: client.peer)
    for method in ["Read", "List", "Sessions"] {
      let call = resumed.send(method, [:], .more)
      resumed.deliver()
      next.settle()
      resumed.drain()
      #expect(call.hasEnded && call.error == nil, "\(method)")
    }
  }

  @Test func aSubscriptionIsNotResumedInAnotherGeneration() throws {
    let daemon = try TestDaemon()
    let watcher = try daemon.connect()
    _ = watcher.stream("Subscribe")
    let state = try #require(daemon.service.idleState(of: watcher.id))
    guard case .subscription(var subscription) = state.stream else {
      Issue.record("no subscription")
      return
    }
    subscription.generation += 1
    var other = state
    other.stream = .subscription(subscription)
    #expect(daemon.service.resume(other, watcher.peer) == nil)
    subscription.generation -= 1
    subscription.position = daemon.service.lastPosition + 1
    other.stream = .subscription(subscription)
    #expect(daemon.service.resume(other, watcher.peer) == nil)
    #expect(daemon.service.connections.counters.resumed == 0)
  }
}
