import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct RandomProgramTests {
  private static let seeds = (0..<16).map { SeededRandom.seedOfRun &+ UInt64($0) }

  /// The daemon's open sessions, as it lists them.
  private func listed(_ daemon: TestDaemon) throws -> [String: JSONTree] {
    let states = try daemon.connect(user: 0).stream("List").values("state")
    return Dictionary(states.map { ($0["session"].string ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  private func expected(_ subscriber: RandomProgram.Subscriber, _ truth: LogTruth) -> [JSONTree] {
    let replies = subscriber.call.replies
    var start = subscriber.after ?? replies.first?["position"].int ?? 0
    // Before any state was sent, a session may have been opened.
    if subscriber.after == nil, replies.first?["opened"] != .null { start -= 1 }
    let messages = truth.messages(after: start) { name, user in
      (subscriber.seesEveryone || Int64(subscriber.user) == user) && name.hasPrefix(subscriber.prefix ?? "")
    }
    if subscriber.after != nil { return messages }
    // Without a position, the news of each session begin after its present state, or with its opening.
    var positions: [String: Int64] = [:]
    for reply in replies where reply["state"] != .null {
      let id = reply["state"]["session"].string ?? ""
      positions[id] = positions[id] ?? reply["position"].int
    }
    for message in messages where message["opened"] != .null {
      positions[message["opened"]["session"].string ?? ""] = 0
    }
    return messages.filter { message in
      let session = message.members.first { $0.key != "position" }?.value["session"].string ?? ""
      return (message["position"].int ?? 0) > positions[session, default: .max]
    }
  }

  private func expectEverythingOnce(_ subscriber: RandomProgram.Subscriber, _ truth: LogTruth, _ place: Comment) {
    let messages = subscriber.call.replies.filter(\.reportsAChange)
    let expected = expected(subscriber, truth)
    #expect(subscriber.call.error == nil, place)
    if subscriber.hasHungUp {
      #expect(messages == Array(expected.prefix(messages.count)), place)
    } else {
      #expect(messages == expected, place)
      #expect(subscriber.call.values("caughtUp") == [true], place)
    }
    let positions = subscriber.call.values("position").compactMap(\.int)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 }, place)
  }

  private func expectPositions(_ program: RandomProgram, _ truth: LogTruth, _ place: Comment) throws {
    for (session, call) in program.appends where call.error == nil && call.hasEnded {
      let answer = try call.answer()
      let number = try #require(answer["nextNumber"].int) - 1
      #expect(answer["position"].int == truth.positions[session]?[number], place)
    }
  }

  /// Reading one session gives the same records as reading everything, even where indexes let the reader skip most of the
  /// log.
  private func expectSessionsReadAlone(_ daemon: TestDaemon, _ place: Comment) throws {
    let root = try daemon.connect(user: 0)
    var all = root.stream("Read").replies
    // Reading a log without records ends with a reply that has none.
    if all.count == 1, all[0]["session"] == .null { all = [] }
    #expect(all.allSatisfy { $0["session"] != .null }, place)
    var sessions: [JSONTree] = []
    for record in all where !sessions.contains(record["session"]) { sessions.append(record["session"]) }
    for session in sessions {
      let expected = all.filter { $0["session"] == session }
      #expect(root.stream("Read", ["session": session]).replies == expected, place)
      let after = expected[expected.count / 2]["position"]
      let rest = Array(expected[(expected.count / 2 + 1)...])
      let read = root.stream("Read", ["session": session, "after": after]).replies
      #expect(read.filter { $0["session"] == session } == rest, place)
    }
  }

  @Test(arguments: seeds)
  func statesAreTheFoldOfTheLogAndSubscribersGetEverythingOnceAndInOrder(seed: UInt64) throws {
    let program = try RandomProgram(seed: seed)
    try program.run(steps: 600)
    program.finish()
    let daemon = program.daemon
    let place: Comment = "SCROLLD_SEED=\(seed)"
    #expect(daemon.end == nil, place)
    let truth = try LogTruth(daemon)
    #expect(try listed(daemon) == truth.states, place)
    try expectSessionsReadAlone(daemon, place)

    for subscriber in program.subscribers { expectEverythingOnce(subscriber, truth, place) }
    try expectPositions(program, truth, place)
    let usual: Set<String> = [
      "NoSpace", "NumberGap", "SessionClosed", "NoSuchSession", "InvalidEvent", "ClientAway", "NoSuchClient",
      "NoSuchRequest", "RequestsTakenOver", "AmbiguousClient",
    ]
    for call in program.calls + program.appends.map(\.call) {
      if let error = call.error {
        #expect(usual.contains(error.name), "\(call.method): \(error), SCROLLD_SEED=\(seed)")
      }
    }
    // No work is left, and nothing waits for something that has already happened.
    #expect(!daemon.service.hasWork, place)
    #expect(daemon.service.connections.isSettled, place)
    #expect(daemon.service.sessions.isSettled && daemon.service.commit.isSettled, place)

    let restarted = try daemon.restarted()
    #expect(try listed(restarted) == truth.states, place)
    #expect(restarted.service.lastPosition == daemon.service.lastPosition, place)
    #expect(restarted.service.sessions.closed == daemon.service.sessions.closed, place)
  }

  @Test(arguments: seeds)
  func handedOverSubscribersMissNothingAndGetNothingTwice(seed: UInt64) throws {
    let program = try RandomProgram(seed: seed, replacesDaemon: true)
    try program.run(steps: 600)
    program.finish()
    let place: Comment = "SCROLLD_SEED=\(seed)"
    #expect(program.daemon.end == nil, place)
    let truth = try LogTruth(program.daemon)
    #expect(try listed(program.daemon) == truth.states, place)
    for subscriber in program.subscribers { expectEverythingOnce(subscriber, truth, place) }
    try expectPositions(program, truth, place)
  }

  @Test(arguments: seeds)
  func aPowerLossLosesNothingThatWasAnsweredAsDurable(seed: UInt64) throws {
    let program = try RandomProgram(seed: seed)
    var random = SeededRandom(seed: ~seed)
    let daemon = program.daemon
    let place: Comment = "SCROLLD_SEED=\(seed)"
    for _ in 0..<12 {
      try program.run(steps: random.whole(1...60))
      let next = try TestDaemon(daemon.fileSystem.afterPowerLoss(&random), clock: daemon.clock, boot: 2) {
        $0.sync = daemon.service.settings.configuration.sync
      }
      let truth = try LogTruth(next)
      #expect(try listed(next) == truth.states, place)
      let isCommitted = daemon.service.settings.configuration.sync == .commit
      if isCommitted { #expect(next.service.lastPosition >= daemon.service.lastPosition, place) }
      #expect(next.service.lastPosition >= daemon.service.commit.written.synced, place)
      for (session, call) in program.appends where call.hasEnded {
        guard let answer = call.replies.last, answer["durable"] == true else { continue }
        let number = try #require(answer["nextNumber"].int) - 1
        #expect(truth.positions[session]?[number] == answer["position"].int, place)
      }
      // A subscriber that saw positions that are now lost gets an error.
      if next.service.lastPosition < daemon.service.lastPosition {
        let parameters: JSONTree = ["after": .int(daemon.service.lastPosition), "generation": 1]
        let error = try next.connect(user: 0).stream("Subscribe", parameters).error
        #expect(error == CallError("PositionTakenBack", ["last": .int(next.service.lastPosition)]), place)
      }
    }
  }
}
