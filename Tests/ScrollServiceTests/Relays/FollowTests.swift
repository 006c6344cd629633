import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct FollowTests {
  /// A daemon, a feeder with one session, and root, who may follow.
  private struct Scene {
    let daemon: TestDaemon
    let feeder: TestClient
    let root: TestClient
    let session: JSONTree

    init(_ configure: (inout Configuration) -> Void = { _ in }) throws {
      daemon = try TestDaemon(FaultyFileSystem(), configure)
      feeder = try daemon.connect()
      root = try daemon.connect(user: 0)
      session = try feeder.call("Open", ["client": "reader", "application": "Reader", "title": "A page"])["session"]
    }

    func append(_ events: [JSONTree]) throws {
      try feeder.call("Append", ["session": session, "events": .array(events)])
    }

    /// The records of the log, as Read returns them.
    func log() throws -> [JSONTree] {
      try daemon.connect(user: 0).stream("Read").replies.filter { $0["record"] != .null }
    }
  }

  /// The records of replies, each with the session's client and user.
  private func records(_ replies: [JSONTree]) -> [JSONTree] {
    var sessions: [String: JSONTree] = [:]
    var found: [JSONTree] = []
    for reply in replies {
      for session in reply["sessions"].elements { sessions[session["session"].string ?? ""] = session }
      for record in reply["records"].elements {
        let session = sessions[record["session"].string ?? ""] ?? .null
        var entry: JSONTree = [
          "position": record["position"], "received": record["received"], "client": session["client"],
          "user": session["user"], "session": record["session"], "record": record["record"],
        ]
        if record["number"] != .null { entry["number"] = record["number"] }
        found.append(entry)
      }
    }
    return found
  }

  // MARK: Catching up, then live

  @Test func aRelayGetsWhatReadReturnsThenNewRecordsEachOnce() throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(4))
    let follow = scene.root.stream("Follow")
    var replies = follow.take()
    #expect(replies.first?["position"] == 0 && replies.first?["forgotten"].string != nil)
    #expect(
      replies.last == ["position": 5, "generation": 1, "received": .int(scene.daemon.clock.wall), "caughtUp": true])
    #expect(try records(replies) == scene.log())
    for index in 0..<20 {
      scene.daemon.clock.advance(seconds: 1)
      try scene.append([Gestures.scroll(Double(index * 300))])
      if index == 10 { try scene.feeder.call("Open", ["client": "second"]) }
    }
    try scene.feeder.call("Close", ["session": scene.session])
    replies += follow.take()
    #expect(try records(replies) == scene.log())
    #expect(replies.filter { $0["caughtUp"] != .null }.count == 1)
    #expect(replies.last?["position"] == .int(scene.daemon.service.lastPosition))
  }

  @Test func changesAndWhatASessionCameToStandWithTheirRecords() throws {
    let scene = try Scene()
    let watch = scene.root.stream("Subscribe", ["after": 0])
    try scene.append(Gestures.flips(6))
    try scene.feeder.call("Close", ["session": scene.session])
    let summary = try #require(scene.daemon.connect(user: 0).stream("Sessions").replies.first)["summary"]
    let entries = try scene.daemon.connect(user: 0).stream("Follow").replies.flatMap { $0["records"].elements }
    let changes = entries.filter { $0["change"] != .null }
    let transitions = watch.replies.map { $0["transition"] }.filter { $0 != .null }
    #expect(changes.count == transitions.count && !changes.isEmpty)
    for (change, transition) in zip(changes, transitions) {
      #expect(change["position"] == transition["position"])
      for name in ["toolbar", "trigger", "reachBottom", "topButton", "pageIndex", "changed", "reason"] {
        #expect(change["change"][name] == transition[name], "\(name)")
      }
    }
    let found = try #require(entries.last)["summary"]
    for name in ["events", "duration", "reach", "flips", "flickers"] {
      #expect(found[name] == summary[name], "\(name)")
    }
  }

  @Test(arguments: [(3, 1), (5, 2), (120, 30)])
  func aRelayThatComesBackContinuesWhereItWas(events: Int, step: Int) throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(events))
    var parameters: JSONTree = [:]
    var found: [JSONTree] = []
    // Each call is dropped after its first reply with records, as if the relay had been killed.
    for _ in 0..<(events + 2) {
      let relay = try scene.daemon.connect(user: 0)
      let replies = relay.stream("Follow", parameters).take()
      relay.hangUp()
      scene.daemon.settle()
      let count = replies.firstIndex { $0["records"] != .null } ?? replies.count - 1
      found += records(Array(replies[...count]))
      let last = replies[count]
      parameters = ["after": last["position"], "generation": last["generation"]]
      if last["received"] != .null { parameters["received"] = last["received"] }
    }
    #expect(try found == scene.log())
  }

  @Test func onlyRecordsOfClientsThatMatchAreSentAndThePositionPassesTheOthers() throws {
    let scene = try Scene()
    try scene.daemon.connect(user: 1001).call("Open", ["client": "kiosk/1"])
    try scene.append(Gestures.flips(4))
    let replies = scene.root.stream("Follow", ["clients": ["kiosk/*"]]).replies
    #expect(records(replies).map { $0["client"] } == ["kiosk/1"])
    #expect(replies.last?["position"] == 6)
  }

  @Test func onlyWhatIsOnTheDiskIsSent() throws {
    let scene = try Scene { $0.sync = .never }
    try scene.append(Gestures.flips(3))
    let follow = scene.root.stream("Follow")
    #expect(records(follow.take()) == [])
    try scene.daemon.connect(user: 0).call("Sync")
    scene.daemon.settle()
    #expect(try records(follow.take()) == scene.log())
  }

  @Test func aSilentStreamSendsItsPosition() throws {
    let scene = try Scene()
    let follow = scene.root.stream("Follow")
    _ = follow.take()
    scene.daemon.wait(seconds: 30)
    #expect(
      follow.take() == [["position": 1, "generation": 1, "received": .int(scene.daemon.clock.wall - 30_000_000)]])
  }

  // MARK: Histories

  @Test func positionsThatRetentionRemovedAreReportedAsAGap() throws {
    let scene = try Scene { $0.compress = false }
    try scene.append(Gestures.flips(4))
    try scene.root.call("Rotate")
    _ = try scene.root.call("Vacuum", ["maxUse": 0])
    try scene.append([Gestures.scroll(1000)])
    let replies = scene.root.stream("Follow", ["after": 2, "generation": 1]).replies
    #expect(replies.map { $0["gap"] }.filter { $0 != .null } == [["first": 3, "last": 5]])
    #expect(records(replies).map { $0["position"] } == [6])
    #expect(records(replies).first?["client"] == "reader", "its opening is gone, and it is described all the same")
    #expect(try records(replies) == scene.log())
  }

  /// The relay stopped for good at such a gap, with the advice to run the repair that had left it.
  @Test func positionsThatARepairCouldNotKeepAreReportedAsAGap() throws {
    let scene = try Scene { $0.compress = false }
    for event in Gestures.flips(4) { try scene.append([event]) }
    try scene.root.call("Rotate")
    try scene.append([Gestures.scroll(1000)])
    let left = scene.daemon.fileSystem.afterKill()
    left.damageBlock(3, in: TestDaemon.directory + "/log/00000000000000000001.scrolllog")
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 3))
    // Before a repair, more than the gap is out of reach.
    let damaged = try TestDaemon(left.afterKill(), clock: scene.daemon.clock, boot: 2) { $0.compress = false }
    #expect(try damaged.connect(user: 0).stream("Follow").error?.name == "LogDamaged")
    let report = try LogRepair.run(directory: TestDaemon.directory, fileSystem: left, options: options)
    let gap = try #require(report.sealedRepairs.first?.gaps.first)
    let next = try TestDaemon(left.afterKill(), clock: scene.daemon.clock, boot: 2) { $0.compress = false }
    for after in [0, gap.lowerBound] as [Int64] {
      let replies = try next.connect(user: 0).stream("Follow", ["after": .int(after)]).replies
      let first = max(after + 1, gap.lowerBound)
      let expected: [JSONTree] =
        first <= gap.upperBound ? [["first": .int(first), "last": .int(gap.upperBound)]] : []
      #expect(replies.map { $0["gap"] }.filter { $0 != .null } == expected)
      let positions = ((after + 1)...next.service.lastPosition).filter { !gap.contains($0) }
      #expect(records(replies).compactMap { $0["position"].int } == positions)
      #expect(replies.last?["caughtUp"] == true)
    }
  }

  @Test func positionsThatAPowerLossTookBackAreReportedAndSentAgain() throws {
    var random = SeededRandom(seed: 4)
    var wereTakenBack = 0
    for _ in 0..<20 {
      let scene = try Scene { $0.sync = .never }
      try scene.append(Gestures.flips(4))
      let written = scene.daemon.service.lastPosition
      let next = try TestDaemon(scene.daemon.fileSystem.afterPowerLoss(&random), boot: 2) { $0.sync = .never }
      let left = next.service.lastPosition
      let root = try next.connect(user: 0)
      let session = try next.connect().call("Open", ["client": "new"])["session"]
      try root.call("Sync")
      let replies = root.stream("Follow", ["after": .int(written), "generation": 1]).replies
      if left < written {
        wereTakenBack += 1
        let reply = try #require(replies.first { $0["takenBack"] != .null })
        #expect(reply["takenBack"] == ["after": .int(left)])
      } else {
        #expect(!replies.contains { $0["takenBack"] != .null })
      }
      let found = try #require(records(replies).first)
      #expect(found["position"] == .int(left + 1) && found["session"] == session)
      let generations = replies.filter { $0["records"] != .null }.map { $0["generation"] }
      #expect(Set(generations.map { $0.int ?? 0 }).count == 1)
      #expect(left == written || generations.first != 1)
    }
    #expect(wereTakenBack > 0)
  }

  @Test func aHistoryThatIsNotThisLogsIsRefused() throws {
    let scene = try Scene()
    scene.daemon.clock.advance(seconds: 1)
    try scene.append(Gestures.flips(3))
    let received = JSONTree.int(scene.daemon.clock.wall)
    #expect(
      scene.root.stream("Follow", ["after": 9, "generation": 1]).error == CallError("NoSuchPosition", ["last": 4]))
    #expect(
      scene.root.stream("Follow", ["after": 3, "generation": 1, "received": 17]).error
        == CallError("OtherHistory", ["position": 3, "received": received]))
    #expect(scene.root.stream("Follow", ["after": 3, "generation": 77]).error?.name == "OtherHistory")
    #expect(scene.root.stream("Follow", ["after": 3, "generation": 1, "received": received]).error == nil)
  }

  /// The parameters with which a relay comes back that has stored the replies.
  private func parameters(after replies: [JSONTree]) -> JSONTree {
    var parameters: JSONTree = [:]
    guard let last = replies.last else { return parameters }
    parameters["after"] = last["position"]
    parameters["generation"] = last["generation"]
    if last["received"] != .null { parameters["received"] = last["received"] }
    parameters["run"] = replies.map { $0["run"] }.first { $0 != .null } ?? .null
    return parameters
  }

  /// Lets retention remove all that the log has.
  private func trim(_ daemon: TestDaemon) throws {
    let root = try daemon.connect(user: 0)
    try root.call("Rotate")
    _ = try root.call("Vacuum", ["maxUse": 0])
  }

  /// Some more of a log.
  private func grow(_ daemon: TestDaemon, by events: Int) throws {
    daemon.clock.advance(seconds: 1)
    let feeder = try daemon.connect()
    let session = try feeder.call("Open", ["client": .string("more\(events)")])["session"]
    try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(events))])
  }

  @Test func theFirstReplyHasTheRunWhichIsAnotherOneAfterARestart() throws {
    let scene = try Scene()
    let first = scene.root.stream("Follow").replies
    let again = try scene.daemon.connect(user: 0).stream("Follow").replies
    #expect(first.first?["run"].string?.count == 32 && again.first?["run"] == first.first?["run"])
    #expect(first.dropFirst().allSatisfy { $0["run"] == .null })
    let next = try scene.daemon.restarted()
    let later = try next.connect(user: 0).stream("Follow", parameters(after: first)).replies
    #expect(later.first?["run"].string?.count == 32 && later.first?["run"] != first.first?["run"])
    // The record is gone as far as the caller can tell, and no log has such a run.
    let strange: JSONTree = ["after": 1, "generation": 1, "run": "x"]
    #expect(try next.connect(user: 0).stream("Follow", strange).error?.name == "OtherHistory")
  }

  @Test(arguments: [false, true])
  func aMachineWhoseRetentionPassedTheCursorContinuesAndAnotherCopyOfItDoesNot(restarts: Bool) throws {
    let scene = try Scene { $0.compress = false }
    try scene.append(Gestures.flips(4))
    var random = SeededRandom(seed: 1)
    let copy = scene.daemon.fileSystem.afterPowerLoss(&random)
    // The original goes on in another run.
    var daemon = try scene.daemon.restarted()
    daemon.clock.advance(seconds: 1)
    try grow(daemon, by: 3)
    let stored = parameters(after: try daemon.connect(user: 0).stream("Follow").replies)
    if restarts { daemon = try daemon.restarted() }
    try grow(daemon, by: 5)
    try trim(daemon)
    try grow(daemon, by: 4)
    let clone = try TestDaemon(copy, clock: daemon.clock)
    try grow(clone, by: 9)
    try trim(clone)
    try grow(clone, by: 4)

    let replies = try daemon.connect(user: 0).stream("Follow", stored)
    #expect(replies.error == nil && replies.replies.contains { $0["gap"] != .null })
    let refused = try clone.connect(user: 0).stream("Follow", stored)
    #expect(refused.error?.name == "OtherHistory" && refused.replies == [])
    // A relay that does not know the run is answered as before.
    var unknown = stored
    unknown["run"] = .null
    var without: JSONTree = [:]
    for (name, value) in unknown.members where value != .null { without[name] = value }
    #expect(try clone.connect(user: 0).stream("Follow", without).error == nil)
  }

  // MARK: Forgetting

  private func candidate(_ session: JSONTree, _ client: JSONTree, received: JSONTree) -> JSONTree {
    ["session": session, "client": client, "user": 1000, "received": received]
  }

  @Test(arguments: [true, false])
  func whatIsForgottenIsReportedToRelaysThatFollowAndToThoseThatWereAway(bySession: Bool) throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(3))
    let other = try scene.daemon.connect().call("Open", ["client": "kept"])["session"]
    let follow = scene.root.stream("Follow")
    let before = follow.take()
    let sessions = before.flatMap { $0["sessions"].elements }
    #expect(sessions.count == 2)
    let candidates = sessions.map { candidate($0["session"], $0["client"], received: $0["received"]) }
    #expect(try scene.daemon.connect(user: 0).call("Forgotten", ["sessions": .array(candidates)])["forgotten"] == [])

    let manager = try scene.daemon.connect(user: 0)
    try manager.call("Forget", bySession ? ["session": scene.session] : ["client": "reader"])
    let names = follow.take().map { $0["forgotten"] }.filter { $0 != .null }
    #expect(names.count == 1 && names != before.map { $0["forgotten"] }.filter { $0 != .null })
    #expect(try manager.call("Forgotten", ["sessions": .array(candidates)])["forgotten"] == [scene.session])
    let later = try scene.daemon.connect(user: 0).stream("Follow")
    #expect(later.replies.first?["forgotten"] == names.first)
    #expect(Set(records(later.replies).map { $0["session"].string }) == [other.string])
  }

  @Test func aRelayThatComesBackHearsWhatWasForgottenWhileNoneFollowed() throws {
    let scene = try Scene()
    let relay = try scene.daemon.connect(user: 0)
    let before = relay.stream("Follow").replies.first?["forgotten"]
    #expect(before?.string != nil)
    relay.hangUp()
    try scene.daemon.connect(user: 0).call("Forget", ["client": "reader"])
    let replies = try scene.daemon.connect(user: 0).stream("Follow").replies
    #expect(replies.first?["forgotten"].string != nil && replies.first?["forgotten"] != before)
  }

  @Test func aClientThatComesBackAfterItWasForgottenIsSent() throws {
    let scene = try Scene()
    try scene.daemon.connect(user: 0).call("Forget", ["client": "reader"])
    scene.daemon.clock.advance(seconds: 1)
    let session = try scene.feeder.call("Open", ["client": "reader"])["session"]
    #expect(Set(records(scene.root.stream("Follow").replies).map { $0["session"] }.map(\.string)) == [session.string])
  }

  /// The list is written before the segments are, and a relay may read those meanwhile.
  @Test func recordsThatAreStillInTheLogAreNotSentOnceTheListHasThem() throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(3))
    let manager = try scene.daemon.connect(user: 0)
    scene.daemon.isHoldingUpkeep = true
    let forget = manager.send("Forget", ["client": "reader"])
    scene.daemon.settle()
    // The segment is searched first.
    for _ in 0..<3 {
      if case .forget(.record)? = scene.daemon.heldUpkeep { break }
      scene.daemon.finishUpkeep()
      scene.daemon.settle()
    }
    guard case .forget(.record)? = scene.daemon.heldUpkeep else {
      Issue.record("the list is not written")
      return
    }
    scene.daemon.finishUpkeep()
    #expect(records(try scene.daemon.connect(user: 0).stream("Follow").replies) == [])
    scene.daemon.release()
    #expect(try forget.answer()["records"] != .null)
  }

  // MARK: Access and limits

  @Test func onlyRootManagersAndRelaysMayFollow() throws {
    let access = AccessRules(
      observersGroup: 77, managers: PeerSet(users: [900]), relays: PeerSet(users: [901], groups: [78]))
    let daemon = try TestDaemon(access: access)
    for (user, groups, isAllowed) in [
      (0, [], true), (900, [], true), (901, [], true), (1000, [78], true), (1000, [], false), (1000, [77], false),
    ] as [(UInt32, [UInt32], Bool)] {
      let client = try daemon.connect(user: user, groups: groups)
      #expect(client.stream("Follow").error?.name == (isAllowed ? nil : "PermissionDenied"), "\(user) \(groups)")
    }
  }

  @Test func aUserMayFollowOnlySoOften() throws {
    let daemon = try TestDaemon { $0.maximumSubscriptionsPerUser = 2 }
    let relays = try (0..<3).map { _ in try daemon.connect(user: 900) }
    #expect(relays[0].stream("Follow").error == nil)
    #expect(relays[1].stream("Follow").error == nil)
    #expect(relays[2].stream("Follow").error == CallError("TooManyFollowers", ["limit": 2]))
    relays[0].hangUp()
    daemon.settle()
    #expect(try daemon.connect(user: 900).stream("Follow").error == nil)
    #expect(try daemon.connect(user: 0).stream("Follow").error == nil, "root is not limited")
    // A reload changes the limit.
    var configuration = daemon.service.settings.configuration
    configuration.maximumSubscriptionsPerUser = 3
    daemon.nextConfiguration = .success(configuration)
    try daemon.connect(user: 0).call("Reload")
    #expect(try daemon.connect(user: 900).stream("Follow").error == nil)
    #expect(try daemon.connect(user: 900).stream("Follow").error == CallError("TooManyFollowers", ["limit": 3]))
  }

  @Test func sessionsThatWereClosedTakeNoMemory() throws {
    let scene = try Scene()
    let follow = scene.root.stream("Follow")
    let stream = try #require(scene.daemon.service.connections[scene.root.id]?.stream as? FollowStream)
    let before = stream.heldBytes - stream.readingBytes
    for index in 0..<64 {
      let session = try scene.feeder.call("Open", ["client": .string("c\(index)")])["session"]
      try scene.feeder.call("Close", ["session": session])
    }
    #expect(stream.heldBytes - stream.readingBytes == before)
    #expect(records(follow.replies).count == 1 + 2 * 64)
  }

  @Test func tooManyCandidatesAndBadOnesAreRefused() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    let good = candidate(.string(String(repeating: "a", count: 32)), "reader", received: 1)
    #expect(throws: CallError("TooManySessions", ["limit": 4096])) {
      try root.call("Forgotten", ["sessions": .array(Array(repeating: good, count: 4097))])
    }
    for bad in [1, ["session": "x"], ["session": good["session"], "client": "a", "user": -1, "received": 1]]
      as [JSONTree]
    {
      #expect(throws: CallError("InvalidParameter", ["parameter": "sessions"])) {
        try root.call("Forgotten", ["sessions": [bad]])
      }
    }
  }

  @Test func aRelayThatDoesNotReadHoldsLittleAndMissesNothing() throws {
    let scene = try Scene()
    for round in 0..<40 { try scene.append((0..<100).map { Gestures.scroll(Double(($0 + round) % 7 * 300)) }) }
    let relay = try scene.daemon.connect(user: 0)
    relay.window = 0
    let follow = relay.send("Follow", [:], .more)
    scene.daemon.settle()
    let limit = scene.daemon.service.connections.limits.output
    let connection = try #require(scene.daemon.service.connections[relay.id])
    #expect(connection.outputCount > 0 && connection.outputCount <= 4 * limit)
    var (seen, count) = (0, 0)
    for _ in 0..<1000 where count < 4001 {
      relay.window = 100_000
      relay.drain()
      scene.daemon.settle()
      for reply in follow.replies[seen...] { count += reply["records"].elements.count }
      seen = follow.replies.count
    }
    #expect(try records(follow.replies) == scene.log())
  }
}
