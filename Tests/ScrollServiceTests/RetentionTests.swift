import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ServiceRetentionTests {
  /// A daemon, and an open session that has filled several segments.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let root: TestClient
    let session: JSONTree

    init(segments: Int, _ configure: (inout Configuration) -> Void = { _ in }) throws {
      daemon = try TestDaemon(FaultyFileSystem(), configure)
      client = try daemon.connect()
      root = try daemon.connect(user: 0)
      session = try client.call("Open", ["client": "reader", "title": "A title"])["session"]
      for index in 0..<segments { try fill(index) }
    }

    /// Appends 20 events and begins another segment.
    func fill(_ index: Int) throws {
      let events: JSONTree = .array(Gestures.flips(20))
      try client.call("Append", ["session": session, "number": .int(Int64(index) * 20 + 1), "events": events])
      daemon.clock.advance(seconds: 60)
      try root.call("Rotate")
    }

    var names: [String] { daemon.fileSystem.names(in: TestDaemon.directory + "/log") }
    var firsts: [Position] { daemon.log.segments.firstPositions }

    func metric(_ name: String) throws -> JSONTree {
      guard case .array(let metrics) = try root.call("Statistics")["metrics"] else { return .null }
      return metrics.first { $0["name"] == .string(name) }?["value"] ?? .null
    }

    /// Checks that the files are those of the list of segments.
    func expectFilesAsListed() {
      #expect(names == firsts.map { SegmentName.of($0) })
    }
  }

  @Test func theDefaultsKeepASmallLog() throws {
    let scene = try Scene(segments: 4)
    // This also holds on a small disk that is nearly full.
    scene.daemon.fileSystem.capacity = Int(scene.daemon.log.segments.sealedBytes) + 20_000
    try scene.fill(4)
    #expect(scene.firsts.count == 6)
    #expect(try TestDaemon(scene.daemon.fileSystem.afterKill()).log.segments.firstPosition == 1)
    scene.daemon.clock.advance(seconds: 100 * 365 * 86_400)
    scene.daemon.service.tick()
    scene.daemon.settle()
    #expect(scene.firsts.first == 1)
    #expect(try scene.metric("segments_removed") == 0)
    #expect(try scene.metric("log_segments") == 6)
  }

  @Test func theOldestSegmentsAreRemovedAsTheLogGrows() throws {
    let scene = try Scene(segments: 8) { $0.maximumUse = .bytes(9096) }
    #expect(scene.firsts.count > 1 && scene.firsts.count < 8)
    scene.expectFilesAsListed()
    guard case .int(let bytes) = try scene.metric("log_bytes") else {
      Issue.record("there is no such metric")
      return
    }
    #expect(bytes <= 9096)
    #expect(try scene.metric("segments_removed") == .int(9 - Int64(scene.firsts.count)))
    #expect(try scene.root.call("Statistics")["firstPosition"] == .int(scene.firsts[0]))
    let messages = scene.daemon.journal.messages.filter { $0.hasPrefix("removing positions") }
    #expect(messages.first?.hasPrefix("removing positions 1 to ") == true)
    #expect(messages.allSatisfy { $0.hasSuffix("for MaxUse=") })
    // The session continues, even after a restart.
    let state = try scene.client.call("Get", ["client": "reader"])["state"]
    let next = try scene.daemon.restarted { $0.maximumUse = .bytes(9096) }
    let client = try next.connect()
    #expect(try client.call("Get", ["client": "reader"])["state"] == state)
    #expect(try client.call("Open", ["client": "reader", "session": scene.session])["nextNumber"] == 161)
  }

  /// A user opened sessions with long titles for 15 seconds, and root's history was gone.
  @Test(arguments: zip([false, true], [true, false]))
  func aUserWhoFillsTheLogPushesNobodyElseOut(compresses: Bool, inOneSession: Bool) throws {
    let limit: Int64 = 120_000
    let daemon = try TestDaemon(FaultyFileSystem()) {
      $0.maximumUse = .bytes(limit)
      $0.compress = compresses
    }
    let root = try daemon.connect(user: 0)
    let precious = try root.call("Open", ["client": "precious", "title": "root's history"])["session"]
    try root.call("Append", ["session": precious, "number": 1, "events": .array(Gestures.flips(5))])
    try root.call("Close", ["session": precious])
    try root.call("Rotate")
    let state = try root.call("Get", ["client": "precious"])["state"]
    let hog = try daemon.connect(user: 1001)
    var session = JSONTree.null
    var random: UInt64 = 7
    func next() -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return random >> 33
    }
    for round in 0..<24 {
      for part in 0..<(inOneSession ? 1 : 32) where !inOneSession || round == 0 {
        let title = String((0..<800).map { _ in Character(UnicodeScalar(UInt8(65 + next() % 26))) })
        session = try hog.call("Open", ["client": .string("hog/\(part % 4)"), "title": .string(title)])["session"]
      }
      let events = (0..<(inOneSession ? 500 : 10)).map { _ in Gestures.scroll(Double(next() % 9000) / 7) }
      try hog.call("Append", ["session": session, "events": .array(events)])
      try root.call("Rotate")
      daemon.settle()
      daemon.wait(seconds: 5)
    }
    #expect(daemon.log.segments.sealedBytes <= limit * 5 / 4)
    let journal = daemon.journal.messages.filter { $0.contains("user 1001 has more than a fair share") }
    #expect(journal.count == 1)
    func check(_ daemon: TestDaemon) throws {
      let root = try daemon.connect(user: 0)
      #expect(daemon.log.segments.firstPosition == 1)
      #expect(try root.call("Get", ["client": "precious"])["state"] == state)
      let read = root.stream("Read", ["client": "precious"])
      #expect(read.error == nil && read.values("position") == [1, 2, 3, 4, 5, 6, 7])
      // What is left of the other one can be folded from the start, too.
      let all = try daemon.connect(user: 0).stream("Subscribe", ["after": 0])
      #expect(all.error == nil && all.values("caughtUp").contains(true))
      let client: JSONTree = .string(inOneSession ? "hog/0" : "hog/3")
      #expect(try root.call("Get", ["client": client, "user": 1001])["state"]["user"] == 1001)
    }
    try check(daemon)
    try check(daemon.restarted { $0.maximumUse = .bytes(limit) })
  }

  /// What the head of each file said of a user's open sessions had pushed root's history out.
  @Test(arguments: [false, true]) func aUsersOpenSessionsPushNobodyElseOut(compresses: Bool) throws {
    let limit: Int64 = 300_000
    func configure(_ configuration: inout Configuration) {
      configuration.maximumUse = .bytes(limit)
      configuration.compress = compresses
    }
    let daemon = try TestDaemon(FaultyFileSystem(), configure)
    let root = try daemon.connect(user: 0)
    let precious = try root.call("Open", ["client": "precious"])["session"]
    try root.call("Append", ["session": precious, "number": 1, "events": .array(Gestures.flips(5))])
    try root.call("Close", ["session": precious])
    try root.call("Rotate")
    let hog = try daemon.connect(user: 1001)
    var random = SeededRandom(seed: 7)
    let names = (0..<48).map { _ in
      String((0..<250).map { _ in Character(UnicodeScalar(UInt8.random(in: 65...90, using: &random))) })
    }
    var sessions = try names.map { try hog.call("Open", ["client": .string($0)])["session"] }
    for round in 0..<32 {
      for session in sessions {
        let events = (0..<4).map { _ in Gestures.scroll(Double.random(in: 0...9000, using: &random)) }
        try hog.call("Append", ["session": session, "events": .array(events)])
      }
      // One session ends in each file, and another one of the same client begins there.
      let next = 1 + round % 40
      sessions[next] = try hog.call("Open", ["client": .string(names[next])])["session"]
      try root.call("Rotate")
      daemon.settle()
      daemon.wait(seconds: 5)
    }
    try hog.call("Append", ["session": sessions[0], "events": [Gestures.scroll(1)]])
    #expect(daemon.log.segments.sealedBytes <= limit * 5 / 4)
    func check(_ daemon: TestDaemon) throws {
      let root = try daemon.connect(user: 0)
      #expect(daemon.log.segments.firstPosition == 1)
      let read = root.stream("Read", ["client": "precious"])
      #expect(read.error == nil && read.values("position") == [1, 2, 3, 4, 5, 6, 7])
      #expect(root.stream("Sessions").error == nil)
      // The session continues with the head of a file that has not been trimmed, and loses nothing from there on.
      let client: JSONTree = .string(names[0])
      let hog = try daemon.connect(user: 1001)
      let state = try hog.call("Get", ["client": client])["state"]
      #expect(try hog.call("Get", ["client": client, "position": state["position"]])["state"] == state)
      let kept = hog.stream("Read", ["client": client])
      let numbers = kept.values("number").compactMap { if case .int(let number) = $0 { number } else { nil } }
      #expect(kept.error == nil && numbers.last == 129 && numbers.count < 129)
      #expect(numbers == Array((numbers.first ?? 0)...129))
      let all = root.stream("Subscribe", ["after": 0, "detail": "frames"])
      #expect(all.error == nil && all.values("caughtUp").contains(true))
      #expect(all.values("state").last { $0["client"] == client } == state)
    }
    try check(daemon)
    try check(daemon.restarted(configure))
  }

  @Test func queriesAboutRemovedRecordsAreRefused() throws {
    let scene = try Scene(segments: 6)
    _ = try scene.root.call("Vacuum", ["maxUse": 0])
    let first = try #require(scene.firsts.first)
    #expect(scene.firsts.count == 1 && first > 100)
    let trimmed = CallError("PositionTrimmed", ["first": .int(first)])
    #expect(scene.client.stream("Subscribe", ["after": 0]).error == trimmed)
    #expect(scene.client.stream("Read", ["after": .int(first - 2)]).error == trimmed)
    #expect(throws: trimmed) { try scene.client.call("Get", ["client": "reader", "position": .int(first - 1)]) }
    #expect(throws: trimmed) { try scene.client.call("Get", ["client": "reader", "time": 1_600_000_000_000_000]) }
    // The rest can be read.
    try scene.fill(6)
    #expect(scene.client.stream("Read").values("position").first == .int(first))
    #expect(scene.client.stream("Subscribe", ["after": .int(first - 1)]).error == nil)
    #expect(throws: CallError("NoSuchClient")) { try scene.root.call("Get", ["client": "other"]) }
  }

  /// A copy of the fold within removed segments must not be used, although it is in memory.
  @Test func theRemainingLogCanBeReadFromItsBeginning() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.service.log.recent.interval = 1
    try scene.fill(0)
    scene.daemon.service.log.recent.interval = .max
    for index in 1..<3 { try scene.fill(index) }
    _ = try scene.root.call("Vacuum", ["maxUse": 0])
    try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(20))])
    let first = try #require(scene.firsts.first)
    for after in [first - 1, first + 5] {
      let read = scene.client.stream("Read", ["after": .int(after)])
      #expect(read.error == nil)
      #expect(read.values("position").first == .int(after + 1))
      #expect(try scene.daemon.connect().stream("Subscribe", ["after": .int(after)]).error == nil)
    }
  }

  @Test func aResendOfRemovedEventsIsRecognisedAndHasPositionZero() throws {
    let scene = try Scene(segments: 6)
    let events: JSONTree = .array(Gestures.flips(20))
    let resend: JSONTree = ["session": scene.session, "number": 21, "events": events]
    let position = try scene.client.call("Append", resend)["position"]
    #expect(position == 41)
    _ = try scene.root.call("Vacuum", ["maxUse": 0])
    for daemon in [scene.daemon, try scene.daemon.restarted()] {
      let client = try daemon.connect()
      let answer = try client.call("Append", resend)
      #expect(answer["position"] == 0)
      #expect(answer["nextNumber"] == 41)
      #expect(daemon.service.lastPosition == 121)
    }
  }

  /// A subscriber that is too slow for retention gets an error rather than silence.
  @Test func aSubscriberThatReadsRemovedRecordsGetsAnError() throws {
    let scene = try Scene(segments: 6) { $0.maximumOutput = 1 << 14 }
    let watcher = try scene.daemon.connect()
    watcher.window = 100
    let watch = watcher.send("Subscribe", ["after": 0, "detail": "frames"], .more)
    scene.daemon.settle()
    #expect(watch.error == nil)
    _ = try scene.root.call("Vacuum", ["maxUse": 0])
    watcher.read()
    let first = try #require(scene.firsts.first)
    #expect(watch.error == CallError("PositionTrimmed", ["first": .int(first)]))
    // What it got before is in order, and without later records.
    let positions = watch.values("position").compactMap { if case .int(let position) = $0 { position } else { nil } }
    #expect(!positions.isEmpty && positions == positions.sorted())
    #expect(positions.allSatisfy { $0 < first })
  }

  @Test func oldRecordsAreRemovedEvenIfTheirSegmentNeverFills() throws {
    let scene = try Scene(segments: 0) { $0.maximumRetention = 3_600_000_000 }
    try scene.client.call("Append", ["session": scene.session, "number": 1, "events": .array(Gestures.flips(20))])
    scene.daemon.wait(seconds: 3590)
    #expect(scene.firsts == [1])
    scene.daemon.wait(seconds: 120)
    #expect(scene.firsts == [22])
    scene.expectFilesAsListed()
    #expect(scene.daemon.journal.messages.contains { $0.hasSuffix("for MaxRetentionSec=") })
    // No more can be removed, and no segment is begun without need.
    scene.daemon.wait(seconds: 7200)
    #expect(scene.firsts == [22])
    #expect(try scene.client.call("Get", ["client": "reader"])["state"]["position"] == 21)
  }

  @Test func spaceIsKeptFreeButNotMadeForOthers() throws {
    let scene = try Scene(segments: 3) { $0.keepFree = .bytes(20_000) }
    let used = scene.daemon.log.segments.sealedBytes
    #expect(scene.firsts.count == 4)
    scene.daemon.fileSystem.capacity = Int(used) + 26_000
    for index in 3..<12 { try scene.fill(index) }
    #expect(scene.firsts[0] > 1)
    #expect(scene.daemon.journal.messages.contains { $0.hasSuffix("for KeepFree=") })
    // The next daemon finds less free space than that, and removes nothing.
    let next = try TestDaemon(scene.daemon.fileSystem.afterKill()) { $0.keepFree = .bytes(100_000) }
    next.settle()
    #expect(next.log.segments.firstPositions == scene.firsts)
  }

  @Test func aFullDiskIsNotLeftFullForAMinute() throws {
    let scene = try Scene(segments: 6) { $0.keepFree = .bytes(10_000) }
    scene.daemon.fileSystem.capacity = Int(scene.daemon.log.segments.sealedBytes)
    let append: JSONTree = ["session": scene.session, "events": .array(Gestures.flips(20))]
    #expect(throws: CallError("NoSpace")) { try scene.client.call("Append", append) }
    scene.daemon.wait(seconds: 5)
    #expect(scene.firsts[0] > 1)
    try scene.client.call("Append", append)
  }

  @Test func vacuumRemovesWhatIsRequestedAndReturnsItsSize() throws {
    let scene = try Scene(segments: 6)
    let before = scene.daemon.log.segments.sealedBytes
    let firsts = scene.firsts
    // The call requests nothing.
    #expect(try scene.root.call("Vacuum") == ["firstPosition": 1, "freed": 0])
    // The first three segments are older.
    let answer = try scene.root.call("Vacuum", ["maxAge": 230_000_000])
    #expect(answer["firstPosition"] == .int(firsts[3]))
    #expect(answer["freed"] == .int(before - scene.daemon.log.segments.sealedBytes))
    scene.expectFilesAsListed()
    #expect(scene.daemon.journal.messages.last?.hasSuffix("as requested") == true)
    #expect(throws: CallError("PermissionDenied")) { try scene.client.call("Vacuum") }
    #expect(throws: CallError("InvalidParameter", ["parameter": "maxAge"])) {
      try scene.root.call("Vacuum", ["maxAge": -1])
    }
  }

  /// The files are gone before the answer, and appends are answered in between.
  @Test func vacuumIsAnsweredAfterTheRemovalAndDelaysNobody() throws {
    let scene = try Scene(segments: 4)
    scene.daemon.isHoldingUpkeep = true
    let vacuum = scene.root.send("Vacuum", ["maxUse": 0])
    scene.daemon.settle()
    let append = scene.client.send(
      "Append", ["session": scene.session, "number": 81, "events": .array(Gestures.flips(2))])
    scene.daemon.settle()
    #expect(!vacuum.hasEnded)
    #expect(scene.names.count == 5)
    #expect(try append.answer()["position"] == 83)
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    #expect(!vacuum.hasEnded)
    #expect(scene.names.count == 4)
    scene.daemon.release()
    #expect(try vacuum.answer()["firstPosition"] == 82)
    scene.expectFilesAsListed()
  }

  @Test func aFailedRemovalIsLoggedAndTriedAgain() throws {
    let scene = try Scene(segments: 4)
    scene.daemon.fileSystem.failNext(.remove, with: .inputOutput)
    let file = TestDaemon.directory + "/log/" + SegmentName.of(1)
    #expect(throws: CallError("NotRemoved", ["file": .string(file), "reason": "Input/output error"])) {
      try scene.root.call("Vacuum", ["maxUse": 0])
    }
    #expect(scene.names.count == 5)
    #expect(scene.daemon.journal.messages.last?.contains("stay for now") == true)
    // Appends were never refused.
    try scene.fill(4)
    scene.daemon.wait(seconds: 60)
    scene.expectFilesAsListed()
    #expect(scene.firsts.count < 6)
  }

  @Test func aReloadAppliesNewLimitsAtOnce() throws {
    let scene = try Scene(segments: 4)
    var next = scene.daemon.service.settings.configuration
    next.maximumUse = .bytes(0)
    scene.daemon.nextConfiguration = .success(next)
    try scene.root.call("Reload")
    #expect(scene.firsts == [62, 82])
    scene.expectFilesAsListed()
  }

  @Test func aFileSystemOfUnknownSizeRemovesNothing() throws {
    let scene = try Scene(segments: 3)
    for _ in 0..<2 {
      scene.daemon.fileSystem.failNext(.space, with: .inputOutput)
      scene.daemon.wait(seconds: 65)
    }
    #expect(scene.firsts.count == 4)
    #expect(scene.daemon.journal.messages.filter { $0.contains("free space does not limit the log") }.count >= 1)
  }
}
