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

    init(_ fileSystem: FaultyFileSystem = FaultyFileSystem(), events: Int = 4000) throws {
      daemon = try TestDaemon(fileSystem)
      daemon.service.commit.snapshots.interval = 8 << 10
      client = try daemon.connect(user: 1000)
      let opening: JSONTree = ["client": .string(SnapshotTests.client), "title": .string(SnapshotTests.title)]
      session = try client.call("Open", opening)["session"]
      // Open sessions make snapshots rarer, so the log has to grow.
      try feed(events: events)
    }

    func feed(events count: Int) throws {
      for _ in 0..<(count / 100) {
        let events = [JSONTree](repeating: Gestures.scroll(SnapshotTests.y), count: 100)
        try client.call("Append", ["session": session, "events": .array(events)])
      }
    }

    /// Sends a call that makes the log grow by 8 KiB with a single record.
    func sendBulk() {
      let text = JSONTree.string(String(repeating: "x", count: 4096))
      client.send("Open", ["client": "bulk", "application": text, "title": text])
    }

    func metric(_ name: String) throws -> Int64? {
      guard case .array(let metrics) = try daemon.connect(user: 0).call("Statistics")["metrics"] else { return nil }
      return metrics.first { $0["name"].string == name }?["value"].int
    }

    func stop() {
      daemon.service.stop()
      daemon.settle()
    }

    /// How often the files contain what came from the client.
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

  @Test func snapshotsAreWrittenRegularlyAndAtTheStop() throws {
    let scene = try Scene()
    let written = try #require(try scene.metric("snapshots_written"))
    // Snapshots need 32 KiB of log growth for each open session.
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

  @Test func aStartAfterAKillIsReportedAsAScan() throws {
    let scene = try Scene()
    let next = try Scene(scene.daemon.fileSystem.afterKill())
    #expect(next.daemon.log.report.basis == .scan(reason: "the log was not shut down cleanly"))
    #expect(try next.metric("start_from_scan") == 1)
    #expect(try next.metric("start_records_recovered") == scene.daemon.service.lastPosition)
  }

  /// Past states are the same with and without snapshots.
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

  @Test func snapshotsHoldNothingOfAForgottenSession() throws {
    let scene = try Scene()
    let other = try scene.daemon.connect(user: 1001)
    let session = try other.call("Open", ["client": "other"])["session"]
    #expect(scene.daemon.fileSystem[Self.snapshots]?.contains(subsequence: Array(Self.title.utf8)) == true)
    let root = try scene.daemon.connect(user: 0)
    try root.call("Forget", ["session": scene.session])
    #expect(scene.found == 0)
    #expect(scene.daemon.fileSystem[Self.snapshots] == nil)
    // Later snapshots, including those of the stop and the next start, hold nothing of it either.
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

  @Test func failedSnapshotsAreLoggedOnceCountedAndTriedAgain() throws {
    let scene = try Scene(events: 0)
    for failures in 1...2 as ClosedRange<Int64> {
      while scene.daemon.service.commit.snapshots.failed < failures {
        scene.daemon.isHolding = true
        scene.sendBulk()
        scene.daemon.settle()
        while let job = scene.daemon.heldJob {
          // Only the snapshot's own write fails.
          if case .snapshot = job { scene.daemon.fileSystem.failNext(.write, with: .noSpace) }
          scene.daemon.finishJob()
          scene.daemon.settle()
        }
      }
    }
    scene.daemon.release()
    #expect(try scene.metric("snapshots_failed") == 2)
    #expect(try scene.metric("snapshots_written") == 0)
    #expect(scene.daemon.journal.entries.count { $0.kind == .snapshotFailed } == 1)
    for _ in 0..<20 {
      scene.sendBulk()
      scene.daemon.settle()
    }
    #expect(try #require(try scene.metric("snapshots_written")) > 0)
    scene.stop()
    let next = try TestDaemon(scene.daemon.fileSystem.afterKill())
    #expect(next.service.lastPosition == scene.daemon.service.lastPosition)
    #expect(next.log.notes.isEmpty)
  }

  /// The daemon checks what the start did not read while it has nothing else to do. Damage there ends it, as it would end a
  /// start.
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
      Issue.record("the service continues: \(String(describing: daemon.end))")
      return
    }
    #expect(damage.file == path && damage.offset <= middle)
    #expect(daemon.service.nextJob() == nil)
    // The daemon did not stop cleanly, so the next start reads the whole log.
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

  /// States of another fold version are kept: the present continues from its last snapshot, and readers of the past come to
  /// the same states. Folding old records again is logged once.
  @Test func statesOfAnotherFoldVersionAreKeptAndRefoldingIsLogged() throws {
    let scene = try Scene()
    // The previous fold decided something that this one would not.
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
    func refoldings() -> Int { next.journal.entries.filter { $0.kind == .foldChanged }.count }
    #expect(refoldings() == 0)
    #expect(try client.call("Get", ["client": name, "position": .int(last - 1)])["state"]["toolbar"] == "shown")
    #expect(refoldings() == 1)

    // An event that decides nothing shows which state is continued.
    try client.call("Open", ["client": name, "session": scene.session])
    try client.call("Append", ["session": scene.session, "events": [["kind": "zoomBegin", "time": 1]]])
    let watch = try next.connect(user: 1000).stream("Subscribe", ["after": 0, "detail": "frames"])
    let frames = watch.values("state").filter { $0["position"] == .int(last) || $0["position"] == .int(last + 1) }
    #expect(frames.map { $0["toolbar"] } == ["shown", "hidden"])
    #expect(refoldings() == 1)
  }
}
