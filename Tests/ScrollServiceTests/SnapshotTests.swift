// Snapshots beside the log: when they are written, what they leave behind, and what the daemon says of them.

import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct SnapshotTests {
  private static let snapshots = "/state/log/00000000000000000001.snapshots"
  private static let client = "secret/client"
  private static let title = "A secret title"
  private static let y = 321.123456789

  /// A daemon that writes a snapshot every few KiB, and a client that fills its log.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let session: JSONTree

    init(_ fileSystem: FaultyFileSystem = FaultyFileSystem()) throws {
      daemon = try TestDaemon(fileSystem)
      daemon.service.commit.snapshots.interval = 8 << 10
      client = try daemon.connect(user: 1000)
      let opening: JSONTree = ["client": .string(SnapshotTests.client), "title": .string(SnapshotTests.title)]
      session = try client.call("Open", opening)["session"]
      // A session weighs as much as its snapshot, so that a few of them make intervals long.
      try feed(events: 4000)
    }

    func feed(events count: Int) throws {
      for _ in 0..<(count / 100) {
        let events = [JSONTree](repeating: Gestures.scroll(SnapshotTests.y), count: 100)
        try client.call("Append", ["session": session, "events": .array(events)])
      }
    }

    func metric(_ name: String) throws -> Int64? {
      guard case .array(let metrics) = try daemon.connect(user: 0).call("Statistics")["metrics"] else { return nil }
      return metrics.first { $0["name"].string == name }?["value"].int
    }

    func stop() {
      daemon.service.stop()
      daemon.settle()
    }

    /// How often all files hold what only the client brought.
    var found: Int {
      let texts = [SnapshotTests.client, SnapshotTests.title].map { Array($0.utf8) }
      let number = withUnsafeBytes(of: SnapshotTests.y.bitPattern.littleEndian) { Array($0) }
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

  @Test func snapshotsAreWrittenNowAndThenAndAtTheStop() throws {
    let scene = try Scene()
    let written = try #require(try scene.metric("snapshots_written"))
    // 32 KiB of the log for each session's KiB of a snapshot.
    #expect(written <= scene.daemon.service.commit.written.segmentBytes / (32 << 10))
    #expect(written >= 2)
    let taken = try #require(try scene.metric("snapshot_bytes_written"))
    #expect(taken == scene.daemon.service.commit.written.snapshotBytes)
    #expect(taken * 20 < scene.daemon.service.commit.written.segmentBytes)
    scene.stop()
    #expect(scene.daemon.end == .stopped)
    let next = try Scene(scene.daemon.fileSystem.afterKill())
    guard case .snapshot(let place) = next.daemon.log.report.basis else {
      Issue.record("\(next.daemon.log.report)")
      return
    }
    #expect(place.position == scene.daemon.service.lastPosition)
    #expect(try next.metric("start_from_snapshot") == 1)
    #expect(try next.metric("start_from_scan") == 0)
    #expect(try #require(try next.metric("start_bytes_read")) > 0)
  }

  @Test func startAfterAKillIsToldAsAScan() throws {
    let scene = try Scene()
    let next = try Scene(scene.daemon.fileSystem.afterKill())
    #expect(next.daemon.log.report.basis == .scan(reason: "the log was not shut down cleanly"))
    #expect(try next.metric("start_from_scan") == 1)
    #expect(try next.metric("start_records_recovered") == scene.daemon.service.lastPosition)
  }

  /// States of the past are the same with snapshots and without.
  @Test func pastStatesComeFromTheNearestSnapshot() throws {
    let scene = try Scene()
    let last = scene.daemon.service.lastPosition
    #expect(scene.daemon.log.segments.lastSnapshot != nil)
    let bare = try TestDaemon(scene.daemon.fileSystem.afterKill())
    #expect(bare.log.segments.lastSnapshot == nil)
    bare.service.commit.snapshots.interval = .max / 2
    for position in stride(from: 1, through: last, by: 97) {
      let question: JSONTree = ["client": .string(Self.client), "position": .int(position)]
      let state = try scene.client.call("Get", question)
      let bareState = try bare.connect(user: 1000).call("Get", question)
      #expect(state == bareState, "position \(position)")
    }
  }

  @Test func nothingOfAForgottenSessionIsLeftInSnapshotsOrComesBack() throws {
    let scene = try Scene()
    let other = try scene.daemon.connect(user: 1001)
    let session = try other.call("Open", ["client": "other"])["session"]
    #expect(scene.daemon.fileSystem[Self.snapshots]?.contains(subsequence: Array(Self.title.utf8)) == true)
    let root = try scene.daemon.connect(user: 0)
    try root.call("Forget", ["session": scene.session])
    #expect(scene.found == 0)
    #expect(scene.daemon.fileSystem[Self.snapshots] == nil)
    // The next ones, and those of the stop and of the next start, tell nothing of it either.
    for _ in 0..<20 {
      try other.call("Append", ["session": session, "events": .array(Gestures.flips(100))])
    }
    #expect(try #require(scene.daemon.log.segments.lastSnapshot).position > 0)
    #expect(scene.found == 0)
    scene.stop()
    #expect(scene.found == 0)
    let next = try TestDaemon(scene.daemon.fileSystem.afterKill())
    #expect(next.service.lastPosition == scene.daemon.service.lastPosition)
    // Its id stays used.
    #expect(throws: CallError("SessionClosed")) {
      try next.connect(user: 1000).call("Open", ["client": .string(Self.client), "session": scene.session])
    }
  }

  @Test func failedSnapshotsAreSaidOnceCountedAndTriedAgain() throws {
    let scene = try Scene()
    let before = try #require(try scene.metric("snapshots_written"))
    for _ in 0..<2 {
      // The write behind it is the log's own.
      let count = scene.daemon.service.commit.snapshots.failed
      while scene.daemon.service.commit.snapshots.failed == count {
        scene.daemon.isHolding = true
        scene.client.send(
          "Append", ["session": scene.session, "events": .array([JSONTree](repeating: Gestures.scroll(1), count: 100))])
        scene.daemon.settle()
        while let job = scene.daemon.heldJob {
          if case .snapshot = job { scene.daemon.fileSystem.failNext(.write, with: .noSpace) }
          scene.daemon.finishJob()
          scene.daemon.settle()
        }
      }
    }
    scene.daemon.release()
    #expect(try scene.metric("snapshots_failed") == 2)
    #expect(try scene.metric("snapshots_written") == before)
    let said = scene.daemon.journal.entries.filter { $0.kind == .snapshotFailed }
    #expect(said.count == 1)
    try scene.feed(events: 2000)
    #expect(try #require(try scene.metric("snapshots_written")) > before)
    scene.stop()
    let next = try TestDaemon(scene.daemon.fileSystem.afterKill())
    #expect(next.service.lastPosition == scene.daemon.service.lastPosition)
    #expect(next.log.notes.isEmpty)
  }

  /// What the start did not read is looked at while nothing else is to be done, and damage there ends the daemon as a start
  /// would have ended.
  @Test func damageBeforeTheSnapshotEndsTheDaemon() throws {
    let scene = try Scene()
    scene.stop()
    let fileSystem = scene.daemon.fileSystem.afterKill()
    let path = "/state/log/00000000000000000001.scrolllog"
    let middle = try #require(fileSystem[path]).count / 2
    fileSystem[path]?[middle] ^= 1
    let daemon = try TestDaemon(fileSystem, checkedAtStart: 0)
    #expect(daemon.log.writer.status.isUnchecked)
    daemon.settle()
    guard case .damaged(let damage) = daemon.end else {
      Issue.record("the service goes on: \(String(describing: daemon.end))")
      return
    }
    #expect(damage.file == path && damage.offset <= middle)
    #expect(daemon.service.nextJob() == nil)
    // The stop was none in order, so that the next start looks for itself.
    #expect {
      try TestDaemon(daemon.fileSystem.afterKill(), checkedAtStart: 0)
    } throws: { error in
      guard case .damaged(let found) = error as? OpenError else { return false }
      return found.file == damage.file && found.offset == damage.offset
    }

    let good = try TestDaemon(scene.daemon.fileSystem.afterKill(), checkedAtStart: 0)
    good.settle()
    #expect(!good.service.commit.written.isUnchecked && good.end == nil)
  }

  /// What another version of the fold said stays: where the present began is told by its last snapshot, and who reads from the
  /// past on comes to the same states. What is folded again is said, once.
  @Test func statesOfAnotherFoldStayAndWhatIsFoldedAgainIsSaid() throws {
    let scene = try Scene()
    // The fold before said something that this one would not.
    var checkpoint = scene.daemon.service.log.horizon.checkpoint()
    #expect(try #require(checkpoint.sessions.first).state.toolbar == .shown)
    checkpoint.sessions[0].state.toolbar = .hidden
    let snapshot = try #require(scene.daemon.log.segments.snapshot(of: checkpoint))
    _ = try scene.daemon.log.writer.write(snapshot)
    scene.daemon.service.commit.snapshots.hasTriedLast = true
    scene.stop()
    let last = scene.daemon.service.lastPosition

    let next = try TestDaemon(scene.daemon.fileSystem.afterKill(), foldVersion: Policy.foldVersion + 1)
    #expect(next.log.notes == [.otherFold(version: Policy.foldVersion)])
    #expect(next.log.segments.firstPositions == [1, last + 1])
    let client = try next.connect(user: 1000)
    let name = JSONTree.string(Self.client)
    #expect(try client.call("Get", ["client": name])["state"]["toolbar"] == "hidden")
    #expect(try client.call("Get", ["client": name, "position": .int(last)])["state"]["toolbar"] == "hidden")
    func said() -> Int { next.journal.entries.filter { $0.kind == .foldChanged }.count }
    #expect(said() == 0)
    #expect(try client.call("Get", ["client": name, "position": .int(last - 1)])["state"]["toolbar"] == "shown")
    #expect(said() == 1)

    // An event that decides nothing shows what is carried on.
    try client.call("Open", ["client": name, "session": scene.session])
    try client.call("Append", ["session": scene.session, "events": [["kind": "zoomBegin", "time": 1]]])
    let watch = try next.connect(user: 1000).stream("Subscribe", ["after": 0, "detail": "frames"])
    let frames = watch.values("state").filter { $0["position"] == .int(last) || $0["position"] == .int(last + 1) }
    #expect(frames.map { $0["toolbar"] } == ["shown", "hidden"])
    #expect(said() == 1)
  }
}
