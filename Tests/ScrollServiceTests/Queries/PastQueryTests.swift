import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

/// Queries about the past of a log with many open sessions, whose checkpoints take several turns to read.
@Suite struct PastQueryTests {
  /// A log of three segments. One session has events in the second and the third one.
  private struct Scene {
    static let sessions = 301

    let daemon: TestDaemon
    let feeder: TestClient
    let root: TestClient
    /// The session's state after its first events.
    let state: JSONTree

    init() throws {
      daemon = try TestDaemon()
      // The recent past could be answered without the log.
      daemon.service.log.recent.interval = .max
      feeder = try daemon.connect()
      root = try daemon.connect(user: 0)
      let session = try feeder.call("Open", ["client": "wanted"])["session"]
      for index in 1..<Self.sessions { feeder.send("Open", ["client": .string("reader/\(index)")]) }
      daemon.settle()
      try root.call("Rotate")
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(6))])
      state = try feeder.call("Get", ["client": "wanted"])["state"]
      try root.call("Rotate")
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(3))])
    }

    /// The position after the first events, in the second segment.
    var past: JSONTree { state["position"] }
    var second: Position { Position(Self.sessions) + 1 }
    var history: History { daemon.service.history }
    var path: String { TestDaemon.directory + "/log/" + SegmentName.of(second) }

    /// Asks about the past, and gives the query some turns, which are not enough to read the checkpoint.
    func begin() -> TestCall {
      let query = feeder.send("Get", ["client": "wanted", "position": past])
      for _ in 0..<4 { daemon.turn() }
      #expect(!query.hasEnded)
      return query
    }
  }

  @Test func othersAreServedWhileACheckpointIsRead() throws {
    let scene = try Scene()
    let other = try scene.daemon.connect(user: 1001)
    try other.call("Open", ["client": "other"])
    let query = scene.feeder.send("Get", ["client": "wanted", "position": scene.past])
    var answered = 0
    var call = other.send("Get", ["client": "other"])
    for _ in 0..<1000 where !query.hasEnded {
      scene.daemon.turn()
      guard call.hasEnded else { continue }
      answered += 1
      call = other.send("Get", ["client": "other"])
    }
    #expect(answered >= 2)
    #expect(try query.answer()["state"] == scene.state)
    scene.daemon.settle()
  }

  @Test func queriesAboutThePastGiveTheRightAnswers() throws {
    let scene = try Scene()
    #expect(scene.daemon.log.segments.firstPositions.dropFirst().first == scene.second)
    #expect(try scene.feeder.call("Get", ["client": "wanted", "position": scene.past])["state"] == scene.state)
    let quiet = try scene.feeder.call("Get", ["client": "reader/200", "position": scene.past])["state"]
    #expect(quiet["position"] == 201)
    let last = scene.daemon.service.lastPosition
    let after = scene.second + 2
    let read = scene.feeder.stream("Read", ["after": .int(after)])
    #expect(read.values("position") == ((after + 1)...last).map { .int($0) })
    let watch = scene.feeder.stream("Subscribe", ["after": .int(after)])
    #expect(try watch.replies.filter(\.reportsAChange) == LogTruth(scene.daemon).messages(after: after))
    #expect(watch.values("caughtUp") == [true])
    let listed = try scene.daemon.connect().stream("Sessions", ["after": .int(after)])
    #expect(listed.error == nil && listed.values("summary").count == Scene.sessions)
  }

  @Test func walksThatNeedTheSameCheckpointShareItsReading() throws {
    let scene = try Scene()
    let walks = (0..<2).map { _ in scene.history.walk(fromCheckpointBefore: scene.second + 1) { _, _ in true } }
    var steps = 0
    while walks.contains(where: { $0.start == nil }) {
      for walk in walks where walk.start == nil {
        try walk.prepareSome()
        steps += 1
      }
    }
    #expect(walks.allSatisfy { $0.start == scene.second - 1 })
    #expect(steps < 2 * Scene.sessions / CheckpointBlocks.sessionsPerStep)
    // The next one needs no reading at all.
    let next = scene.history.walk(fromCheckpointBefore: scene.second) { _, _ in true }
    try next.prepareSome()
    #expect(next.start == scene.second - 1)
  }

  /// What a walk holds while it reads counts toward its user's memory.
  @Test func aWalkCountsWhatItReads() throws {
    let scene = try Scene()
    let walk = scene.history.walk(fromCheckpointBefore: scene.second + 1) { _, _ in false }
    try walk.prepareSome()
    #expect(walk.start == nil)
    #expect(walk.heldBytes >= CheckpointBlocks.sessionsPerStep * Projection.queriedSessionSize / 2)
    _ = try walk.started()
    while walk.isPreparing { try walk.prepareSome() }
    #expect(walk.projection.sessions.isEmpty)
    #expect(walk.heldBytes < 1 << 20)
  }

  @Test func aDamagedHeadFailsTheQueriesThatBeginThere() throws {
    let scene = try Scene()
    scene.daemon.fileSystem.damageBlock(0, in: scene.path)
    let next = try #require(scene.daemon.log.segments.firstPositions.last)
    let after = JSONTree.int(scene.second + 2)
    let calls = [
      try scene.daemon.connect().stream("Read", ["after": after]),
      try scene.daemon.connect().stream("Subscribe", ["after": after]),
    ]
    scene.daemon.settle()
    for call in calls {
      #expect(call.error?.name == "LogDamaged")
      #expect(call.error?.parameters["file"] == .string(scene.path))
      #expect(call.error?.parameters["next"] == .int(next))
    }
    // A later checkpoint of the segment is good.
    #expect(try scene.feeder.call("Get", ["client": "wanted", "position": scene.past])["state"] == scene.state)
  }

  /// What it has opened it can read to the end.
  @Test func aQueryWhoseSegmentIsRemovedMeanwhileSaysSoOrIsRight() throws {
    let scene = try Scene()
    let query = scene.begin()
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    let segments = scene.daemon.log.segments
    #expect(segments.trim(to: limits, activeBytes: 1 << 20, available: nil, now: 0).count == 2)
    scene.daemon.settle()
    if let error = query.error {
      #expect(error.name == "PositionTrimmed")
    } else {
      #expect(try query.answer()["state"] == scene.state)
    }
  }

  @Test func aWalkWhoseSessionIsForgottenMeanwhileDoesNotFindIt() throws {
    let scene = try Scene()
    let last = try #require(scene.past.int)
    let walk = scene.history.walk(fromCheckpointBefore: last) { _, client in client.name == "wanted" }
    try walk.prepareSome()
    #expect(walk.start == nil)
    try scene.root.call("Forget", ["client": "wanted"])
    var observer = NoObserver()
    while case .more = try walk.advance(through: last, &observer) {}
    #expect(walk.projection.position == last && walk.projection.sessions.isEmpty)
    #expect(throws: CallError("NoSuchClient")) {
      try scene.feeder.call("Get", ["client": "wanted", "position": scene.past])
    }
  }

  /// The old file's checkpoint is not continued with the new file's records.
  @Test func aWalkBeginsAgainWhenItsSegmentIsRewritten() throws {
    let scene = try Scene()
    let walk = scene.history.walk(fromCheckpointBefore: scene.second + 1) { _, _ in true }
    try walk.prepareSome()
    #expect(walk.start == nil)
    guard case .packed = scene.daemon.log.upkeep.perform(.pack(scene.second)) else {
      Issue.record("the segment is not packed")
      return
    }
    for _ in 0...(Scene.sessions / CheckpointBlocks.sessionsPerStep) { try walk.prepareSome() }
    // By now it has read one of the two files.
    #expect(walk.start == nil)
    _ = try walk.started()
    var observer = NoObserver()
    let last = scene.daemon.service.lastPosition
    while case .more = try walk.advance(through: last, &observer) {}
    #expect(walk.start == scene.second - 1)
    #expect(walk.projection.sessions.count == Scene.sessions)
    let wanted = ClientID(user: 1000, name: "wanted")
    let present = scene.daemon.service.log.horizon.session(of: wanted)
    #expect(walk.projection.session(of: wanted)?.state == present?.state)
  }
}
