import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ForgetTests {
  private static let client = "secret/client"
  private static let title = "A secret title"
  private static let y = 321.123456789

  /// A daemon with several clients in several segments, one of which the test forgets.
  private struct Scene {
    let daemon: TestDaemon
    let root: TestClient
    let other: TestClient
    let otherSession: JSONTree

    init(_ fileSystem: FaultyFileSystem = FaultyFileSystem()) throws {
      daemon = try TestDaemon(fileSystem)
      root = try daemon.connect(user: 0)
      other = try daemon.connect(user: 1001)
      otherSession = try other.call("Open", ["client": "other", "title": "Another title"])["session"]
    }

    /// Opens a session of the client for a user, and scrolls over some segments.
    @discardableResult
    func feed(user: UInt32 = 1000) throws -> (client: TestClient, session: JSONTree) {
      let client = try daemon.connect(user: user)
      let opening: JSONTree = ["client": .string(ForgetTests.client), "title": .string(ForgetTests.title)]
      let session = try client.call("Open", opening)["session"]
      for index in 0..<3 {
        let number = JSONTree.int(Int64(index) * 4 + 1)
        let events: [JSONTree] = [Gestures.layout] + [JSONTree](repeating: Gestures.scroll(ForgetTests.y), count: 3)
        try client.call("Append", ["session": session, "number": number, "events": .array(events)])
        try other.call("Append", ["session": otherSession, "events": .array(Gestures.flips(4))])
        try root.call("Rotate")
      }
      return (client, session)
    }

    /// How many of the markers the files contain.
    var found: Int {
      let texts = [ForgetTests.client, ForgetTests.title].map { Array($0.utf8) }
      let number = withUnsafeBytes(of: ForgetTests.y.bitPattern.littleEndian) { Array($0) }
      var count = 0
      for directory in [TestDaemon.directory, TestDaemon.directory + "/log"] {
        for name in daemon.fileSystem.names(in: directory) {
          guard let bytes = daemon.fileSystem[directory + "/" + name] else { continue }
          count += (texts + [number]).filter { bytes.contains(subsequence: $0) }.count
        }
      }
      return count
    }
  }

  @Test func forgettingClosesAnOpenSessionAndLeavesNothingOfIt() throws {
    let scene = try Scene()
    let (client, session) = try scene.feed()
    let watch = scene.root.stream("Subscribe")
    let manager = try scene.daemon.connect(user: 0)
    let before = scene.other.stream("Read").replies
    #expect(scene.found > 5)
    #expect(try manager.call("Forget", ["session": session]) == ["records": 14])
    #expect(scene.found == 0)
    // Subscribers get the closing, the feeder can't continue, and the others are unaffected.
    #expect(watch.values("closed").map { $0["reason"] } == ["forgotten"])
    #expect(throws: CallError("SessionClosed")) {
      try client.call("Append", ["session": session, "events": .array([Gestures.layout])])
    }
    #expect(scene.other.stream("Read").replies == before)
    #expect(throws: CallError("NoSuchClient")) { try client.call("Get", ["client": .string(Self.client)]) }
    #expect(scene.daemon.service.lastPosition == 27)
    // Its id stays used, even after a restart.
    for daemon in [scene.daemon, try scene.daemon.restarted()] {
      #expect(daemon.service.lastPosition == 27)
      #expect(throws: CallError("SessionClosed")) {
        try daemon.connect().call("Open", ["client": .string(Self.client), "session": session])
      }
    }
    // Nothing is left of it.
    #expect(try manager.call("Forget", ["session": session]) == ["records": 0])
  }

  /// What the daemon keeps to answer faster (copies of the fold, a checkpoint, the closed sessions) is of the log as it was.
  @Test func afterAForgetTheDaemonAnswersLikeOneThatHasJustStarted() throws {
    let daemon = try TestDaemon()
    daemon.service.log.recent.interval = 1 << 10
    let (root, owner) = (try daemon.connect(user: 0), try daemon.connect(user: 1000))
    // So many that a checkpoint is kept for a while.
    for index in 0..<260 { try root.call("Open", ["client": .string("c/\(index)")]) }
    let before = daemon.service.lastPosition
    let opening: JSONTree = ["client": .string(Self.client), "title": .string(Self.title)]
    let session = try owner.call("Open", opening)["session"]
    let other = try owner.call("Open", ["client": "other"])["session"]
    for _ in 0..<3 {
      for id in [session, other] {
        for _ in 0..<4 { try owner.call("Append", ["session": id, "events": .array(Gestures.flips(6))]) }
      }
      try root.call("Rotate")
    }
    let positions = Array(stride(from: before, through: daemon.service.lastPosition, by: 5))
    let past: JSONTree = ["client": .string(Self.client), "position": .int(daemon.service.lastPosition - 30)]

    /// What each user can learn about all positions.
    func answers(_ daemon: TestDaemon) throws -> [String] {
      var found: [String] = []
      for user in [0, 1000] as [UInt32] {
        let client = try daemon.connect(user: user)
        func ask(_ method: String, _ parameters: JSONTree) throws {
          let peer = try daemon.connect(user: user)
          let call = peer.stream(method, parameters)
          let error = call.error.map { "\($0)" } ?? ""
          found.append("\(user) \(method) \(parameters): \(error) \(JSONTree.array(call.replies))")
          peer.hangUp()
        }
        try ask("Sessions", [:])
        try ask("List", [:])
        for position in positions {
          let after = JSONTree.int(position)
          try ask("Read", ["after": after, "limit": 40])
          try ask("Subscribe", ["after": after, "generation": 1, "clients": [.string(Self.client), "other"]])
          for name in [Self.client, "other"] {
            do {
              found.append("\(position) \(try client.call("Get", ["client": .string(name), "position": after]))")
            } catch {
              found.append("\(position) \(error)")
            }
          }
        }
      }
      return found
    }

    #expect(try answers(daemon).contains { $0.contains(Self.title) })
    _ = try owner.call("Get", past)
    try root.call("Forget", ["client": .string(Self.client)])
    #expect(throws: CallError("NoSuchClient")) { try owner.call("Get", past) }
    let (live, fresh) = (try answers(daemon), try answers(daemon.restarted()))
    #expect(live.count == fresh.count)
    for (live, fresh) in zip(live, fresh) {
      #expect(live == fresh)
      let answer = live.split(separator: ": ", maxSplits: 1).last ?? ""
      #expect(!answer.contains(Self.title) && !answer.contains(Self.client))
    }
  }

  @Test(arguments: [true, false])
  func aSubscriberThatWasAwayHearsTheEndOfAForgottenSession(isPacked: Bool) throws {
    let scene = try Scene()
    let (_, session) = try scene.feed()
    let subscriber = try scene.daemon.connect(user: 1000)
    let shown = subscriber.stream("Subscribe", ["clients": [.string(Self.client)], "after": 0])
    let position = try #require(shown.replies.last?["position"])
    #expect(shown.values("opened").map { $0["session"] } == [session])
    subscriber.hangUp()
    try scene.root.call("Forget", ["session": session])
    for daemon in [scene.daemon, try scene.daemon.restarted { $0.compress = isPacked }] {
      let again = try daemon.connect(user: 1000)
      let resumed: JSONTree = ["clients": [.string(Self.client)], "after": position, "generation": 1]
      let closed = again.stream("Subscribe", resumed).values("closed")
      #expect(closed.map { $0["session"] } == [session])
      #expect(closed.map { $0["reason"] } == ["forgotten"])
      #expect(closed.map { $0["client"] } == [""])
      // A new subscriber was shown nothing, and one that comes back after the end has heard it.
      #expect(try daemon.connect(user: 1000).stream("Subscribe", ["after": 0]).values("closed").isEmpty)
      let last = JSONTree.int(daemon.service.lastPosition)
      #expect(try daemon.connect(user: 1000).stream("Subscribe", ["after": last]).values("closed").isEmpty)
    }
  }

  @Test func aSlowSubscriberOfTheDaemonBeforeHearsTheEndOfAForgottenSession() throws {
    let scene = try Scene()
    let subscriber = try scene.daemon.connect(user: 1000)
    let shown = subscriber.stream("Subscribe", ["clients": [.string(Self.client)]])
    let (feeder, session) = try scene.feed()
    try scene.daemon.restart()
    subscriber.window = 0
    for _ in 0..<40 where scene.daemon.service.subscriptions.counters.fallenBehind == 0 {
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(400))])
    }
    #expect(scene.daemon.service.subscriptions.counters.fallenBehind == 1)
    try scene.root.call("Forget", ["session": session])
    subscriber.read()
    #expect(shown.values("closed").map { $0["session"] } == [session])
  }

  @Test func aClientIsForgottenWithAllItsSessionsButNotOtherUsers() throws {
    let scene = try Scene()
    let (client, _) = try scene.feed()
    try scene.feed()
    try scene.feed(user: 1002)
    // The first user's second session is still open.
    #expect(try scene.root.call("Forget", ["client": .string(Self.client), "user": 1000]) == ["records": 28])
    let records = scene.root.stream("Read", ["client": .string(Self.client)]).values("user")
    #expect(!records.isEmpty && records.allSatisfy { $0 == 1002 })
    #expect(try scene.root.call("Forget", ["client": .string(Self.client)]) == ["records": 14])
    #expect(scene.found == 0)
    // A client that reconnects begins a new session, which stays.
    try client.call("Open", ["client": .string(Self.client)])
    #expect(try client.call("Get", ["client": .string(Self.client)])["state"]["toolbar"] == "shown")
    #expect(try scene.daemon.restarted().service.lastPosition == scene.daemon.service.lastPosition)
  }

  /// A client that reopens while its older sessions are being forgotten continues.
  @Test func aClientThatReopensDuringForgettingContinues() throws {
    let scene = try Scene()
    let (client, _) = try scene.feed()
    scene.daemon.isHolding = true
    let forget = scene.root.send("Forget", ["client": .string(Self.client)])
    scene.daemon.settle()
    let open = client.send("Open", ["client": .string(Self.client), "title": "Back again"])
    scene.daemon.settle()
    for _ in 0..<3 {
      scene.daemon.finishJob()
      scene.daemon.settle()
    }
    scene.daemon.release()
    #expect(try forget.answer() == ["records": 14])
    let session = try open.answer()["session"]
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(3))])
    let again = try scene.daemon.restarted()
    #expect(try again.connect().call("Get", ["client": .string(Self.client)])["state"]["session"] == session)
    #expect(again.journal.messages.allSatisfy { !$0.contains("damaged") })
    #expect(scene.root.stream("Read", ["client": .string(Self.client)]).values("position").count == 4)
  }

  @Test func filesWithCutBytesAreRemovedEntirely() throws {
    let first = try Scene()
    try first.feed()
    let found = first.daemon.fileSystem.afterKill()
    let torn = TestDaemon.directory + "/log/" + SegmentName.kept(after: 3, time: 1, attempt: 0, SegmentName.tornSuffix)
    found[torn] = [UInt8](repeating: 0, count: 144) + Array(Self.title.utf8)
    let scene = try Scene(found)
    #expect(try scene.root.call("Forget", ["client": .string(Self.client)]) == ["records": 14])
    #expect(scene.found == 0)
    #expect(found[torn] == nil)
  }

  @Test func onlyManagersForgetAndMustNameASessionOrAClient() throws {
    let scene = try Scene()
    #expect(throws: CallError("PermissionDenied")) { try scene.other.call("Forget", ["client": "other"]) }
    let session = scene.otherSession
    for (parameters, name) in [
      ([:], "session"), (["session": session, "client": "other"], "client"), (["session": "x"], "session"),
      (["session": session, "user": 1001], "user"), (["client": "other", "user": -1], "user"),
    ] as [(JSONTree, String)] {
      #expect(throws: CallError("InvalidParameter", ["parameter": .string(name)])) {
        try scene.root.call("Forget", parameters)
      }
    }
    #expect(try scene.root.call("Forget", ["client": "nobody"]) == ["records": 0])
    #expect(try scene.other.call("Get", ["client": "other"])["state"]["session"] == session)
  }

  @Test func unreadableSegmentsAreReportedAndTheOthersAreForgotten() throws {
    let scene = try Scene()
    try scene.feed()
    let file = TestDaemon.directory + "/log/" + SegmentName.of(1)
    scene.daemon.fileSystem.damageBlock(1, in: file)
    let forget = scene.root.send("Forget", ["client": .string(Self.client)])
    scene.daemon.settle()
    guard let error = forget.error, error.name == "NotForgotten" else {
      Issue.record("the call is answered as done")
      return
    }
    #expect(error.parameters["reason"].string?.contains(file) == true)
    scene.daemon.fileSystem[file] = nil
    #expect(scene.found == 0)
  }

  /// Once, the older segments were forgotten all the same. Newer records then lacked their opening, and readers got an error that
  /// the log is damaged.
  @Test func olderSegmentsStayIfANewerOneCannotBeWritten() throws {
    let scene = try Scene()
    let (_, session) = try scene.feed()
    let records = scene.root.stream("Read").replies.count
    scene.daemon.isHoldingUpkeep = true
    let forget = scene.root.send("Forget", ["session": session])
    scene.daemon.settle()
    // It is searched for, and added to the list of what was forgotten.
    while case .forget(let job) = scene.daemon.heldUpkeep, !job.rewritesSegment {
      scene.daemon.finishUpkeep()
      scene.daemon.settle()
    }
    guard case .forget(.segment) = scene.daemon.heldUpkeep else {
      Issue.record("unexpected job: \(String(describing: scene.daemon.heldUpkeep))")
      return
    }
    scene.daemon.fileSystem.failNext(.create, with: .inputOutput)
    scene.daemon.isHoldingUpkeep = false
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    #expect(forget.error?.name == "NotForgotten")
    let read = scene.root.stream("Read")
    #expect(read.error == nil)
    // The closing was stored.
    #expect(read.replies.count == records + 1)
    #expect(try scene.root.call("Forget", ["session": session])["records"] == 14)
    #expect(scene.found == 0)
  }

  @Test func onAFullDiskForgettingIsRefused() throws {
    let scene = try Scene()
    let (client, session) = try scene.feed()
    scene.daemon.fileSystem.capacity = 0
    #expect(throws: CallError("NoSpace")) {
      try scene.other.call("Append", ["session": scene.otherSession, "events": .array(Gestures.flips(4000))])
    }
    let forget = scene.root.send("Forget", ["session": session])
    scene.daemon.settle()
    #expect(forget.error?.name == "NoSpace")
    scene.daemon.fileSystem.capacity = .max
    // The session is still open, or was closed and says so.
    #expect(try scene.root.call("Forget", ["session": session])["records"] == 14)
    #expect(scene.found == 0)
    #expect(throws: CallError("SessionClosed")) {
      try client.call("Append", ["session": session, "events": .array([Gestures.layout])])
    }
  }

  /// Once, the list of sessions left such a session out until the daemon's restart.
  @Test func aSessionThatCouldNotBeForgottenIsStillListed() throws {
    let scene = try Scene()
    let (client, session) = try scene.feed()
    _ = try client.call("Close", ["session": session])
    let before = scene.root.stream("Sessions").replies
    #expect(before.count == 2)
    scene.daemon.fileSystem.capacity = 0
    let forget = scene.root.send("Forget", ["session": session])
    scene.daemon.settle()
    #expect(forget.error?.name == "NoSpace")
    #expect(scene.root.stream("Sessions").replies == before)
    scene.daemon.fileSystem.capacity = .max
    #expect(scene.root.stream("Sessions").replies == before)
    #expect(try scene.root.call("Forget", ["session": session])["records"] == 14)
    #expect(scene.root.stream("Sessions").replies.count == 1)
  }

  // MARK: The list of what was forgotten

  /// Once, the segment that was being written ended with each call, even for a client that the log doesn't have.
  @Test func forgettingSomebodyWhoIsNotThereEndsNoSegment() throws {
    for isRestarted in [false, true] {
      let scene = try Scene()
      try scene.feed()
      try scene.other.call("Append", ["session": scene.otherSession, "events": .array(Gestures.flips(4))])
      if isRestarted { try scene.daemon.restart() }
      let before = scene.daemon.log.segments.firstPositions
      for parameters in [
        ["client": "nobody"], ["client": "other", "user": 7], ["session": "\(OpenTestSession.id(99))"],
      ]
        as [JSONTree]
      {
        #expect(try scene.root.call("Forget", parameters) == ["records": 0])
      }
      #expect(scene.daemon.log.segments.firstPositions == before)
      // Records in sealed segments alone are rewritten there.
      try scene.root.call("Forget", ["client": .string(Self.client)])
      #expect(scene.found == 0)
    }
  }

  @Test func whatWasForgottenIsListedEvenIfTheLogHasNothingOfIt() throws {
    let scene = try Scene()
    let (_, session) = try scene.feed()
    try scene.root.call("Forget", ["session": session])
    try scene.root.call("Forget", ["client": .string(Self.client), "user": 1000])
    try scene.root.call("Forget", ["client": "nobody"])
    let list = try scene.daemon.log.forgotten.list()
    #expect(list.sessions.keys.map { "\($0)" } == [session.string])
    #expect(Set(list.clients.keys.map(\.user)) == [1000, nil])
    #expect(scene.found == 0)
    // The daemon that follows has the same list and key.
    let keys = try scene.daemon.log.forgotten.keys()
    try scene.daemon.restart()
    #expect(try scene.daemon.log.forgotten.list() == list)
    #expect(try scene.daemon.log.forgotten.keys() == keys)
  }

  @Test func anInvalidNameIsNotListed() throws {
    let scene = try Scene()
    let name = JSONTree.string(String(repeating: "a", count: 256))
    let error = CallError("InvalidClient", ["reason": "has 256 bytes of UTF-8: it must have 1 to 255"])
    #expect(throws: error) { try scene.root.call("Forget", ["client": name]) }
    #expect(try scene.daemon.log.forgotten.list().isEmpty)
  }

  /// The list that another daemon of the same state directory left, before somebody put an old log back.
  private func listed(_ list: ForgottenList) -> JSONTree {
    let sessions: [JSONTree] = list.sortedSessions.map { ["session": "\($0.id)", "time": .int($0.time)] }
    let clients: [JSONTree] = list.sortedClients.map { entry in
      [
        "key": .string(entry.client.key), "hash": .string(entry.client.hash),
        "user": entry.client.user.map { .int(Int64($0)) } ?? .null, "received": .int(entry.extent.received),
        "except": .array(entry.extent.except.map { "\($0)" }),
      ]
    }
    return ["sessions": .array(sessions), "clients": .array(clients)]
  }

  @Test func aLogThatWasPutBackIsForgottenAgainByItsList() throws {
    let scene = try Scene()
    try scene.feed()
    let old = scene.daemon.fileSystem.afterKill()
    scene.daemon.clock.advance(seconds: 1)
    #expect(try scene.root.call("Forget", ["client": .string(Self.client)]) == ["records": 14])
    let list = try scene.daemon.log.forgotten.list()

    let again = try Scene(old)
    #expect(again.found > 0)
    // Its client is there again, with another session that began later.
    again.daemon.clock.advance(seconds: 5)
    let client = try again.daemon.connect(user: 1001)
    let later = try client.call("Open", ["client": .string(Self.client)])["session"]
    #expect(try again.root.call("ForgetListed", listed(list)) == ["records": 14])
    let left = again.root.stream("Read", ["client": .string(Self.client)]).values("session")
    #expect(Set(left.map { $0.string }) == [later.string])
    #expect(try again.daemon.log.forgotten.list() == list)
    #expect(try again.root.call("ForgetListed", listed(list)) == ["records": 0])
    #expect(try client.call("Get", ["client": .string(Self.client)])["state"]["session"] == later)
  }

  /// Its opening, which is not on disk yet, is newer than all that the list has.
  @Test func aClientThatComesBackWhileAListIsAppliedStays() throws {
    let scene = try Scene()
    try scene.feed()
    try scene.root.call("Forget", ["client": .string(Self.client)])
    let list = try scene.daemon.log.forgotten.list()
    let client = try scene.daemon.connect(user: 1000)
    scene.daemon.isHolding = true
    let opening = client.send("Open", ["client": .string(Self.client)])
    scene.daemon.settle()
    let forgetting = scene.root.send("ForgetListed", listed(list))
    scene.daemon.settle()
    #expect(!opening.hasEnded && !forgetting.hasEnded)
    scene.daemon.release()
    let session = try opening.answer()["session"]
    #expect(try forgetting.answer() == ["records": 0])
    #expect(try client.call("Get", ["client": .string(Self.client)])["state"]["session"] == session)
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(2))])
  }

  @Test func aListWithUnknownKeysOrBadEntriesIsRefusedAsAWhole() throws {
    let scene = try Scene()
    let (_, session) = try scene.feed()
    var list = ForgottenList()
    let digits = try #require(session.string)
    list.add(try #require(SessionID(digits)), at: 1)
    let key = ForgottenKey.random()
    list.add(
      ForgottenList.Client(key: key.id, hash: key.hash(of: "secret/client"), user: nil),
      ForgottenList.Extent(received: .max))
    #expect(throws: CallError("UnknownKeys", ["keys": [.string(key.id)]])) {
      try scene.root.call("ForgetListed", listed(list))
    }
    #expect(scene.found > 0)
    for (parameters, name) in [
      (["sessions": [[:]], "clients": []], "sessions"),
      (["sessions": [["session": "x", "time": 1]], "clients": []], "sessions"),
      (["sessions": [], "clients": [["key": "a"]]], "clients"),
      (["sessions": [], "clients": [["key": "a", "hash": "b", "received": 1, "user": -1]]], "clients"),
      (["sessions": [], "clients": [["key": "a", "hash": "b", "received": 1, "except": ["x"]]]], "clients"),
      (["sessions": []], "clients"),
    ] as [(JSONTree, String)] {
      #expect(throws: CallError("InvalidParameter", ["parameter": .string(name)])) {
        try scene.root.call("ForgetListed", parameters)
      }
    }
    #expect(throws: CallError("PermissionDenied")) { try scene.other.call("ForgetListed", listed(list)) }
  }

  @Test func withoutAKeyTheLogIsForgottenAndTheCallerIsTold() throws {
    let first = try Scene()
    try first.feed()
    let left = first.daemon.fileSystem.afterKill()
    let path = TestDaemon.directory + "/" + ForgottenFiles.keysName
    left[path] = Array("damaged\n".utf8)
    let scene = try Scene(left)
    #expect(scene.daemon.journal.entries.map(\.kind).contains(.forgottenKeyMissing))
    let call = scene.root.send("Forget", ["client": .string(Self.client)])
    scene.daemon.settle()
    #expect(call.error?.name == "NotForgotten")
    #expect(call.error?.parameters["reason"].string?.contains(path) == true)
    #expect(scene.found == 0)
  }
}

extension ForgetJob {
  fileprivate var rewritesSegment: Bool {
    if case .segment = self { true } else { false }
  }
}
