import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ServiceBackupTests {
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let root: TestClient
    let copier: TestClient
    let session: JSONTree

    init(segments: Int = 4, _ configure: (inout Configuration) -> Void = { _ in }) throws {
      daemon = try TestDaemon(FaultyFileSystem(), configure)
      client = try daemon.connect()
      root = try daemon.connect(user: 0)
      copier = try daemon.connect(user: 0)
      session = try client.call("Open", ["client": "reader", "title": "A title"])["session"]
      for _ in 0..<segments { try fill() }
    }

    /// Appends 20 events and begins another segment.
    func fill() throws {
      try client.call("Append", ["session": session, "events": .array(Gestures.flips(20))])
      daemon.clock.advance(seconds: 60)
      try root.call("Rotate")
    }

    var names: [String] { daemon.fileSystem.names(in: TestDaemon.directory + "/log") }

    func metric(_ name: String) throws -> JSONTree {
      guard case .array(let metrics) = try root.call("Statistics")["metrics"] else { return .null }
      return metrics.first { $0["name"] == .string(name) }?["value"] ?? .null
    }
  }

  @Test func aBackupGetsTheListOfFiles() throws {
    let scene = try Scene(segments: 2)
    try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(3))])
    let backup = scene.copier.stream("Backup")
    let reply = try #require(backup.take().first)
    #expect(reply["directory"] == .string(TestDaemon.directory))
    #expect(reply["firstPosition"] == 1)
    #expect(reply["lastPosition"] == 44)
    #expect(reply["generation"] == 1)
    guard case .array(let files) = reply["files"] else {
      Issue.record("the reply lists no files")
      return
    }
    #expect(files.map { $0["firstPosition"] } == [1, 22, 42])
    #expect(files.map { $0["name"] } == scene.names.map { .string("log/" + $0) })
    for file in files {
      guard case .string(let name) = file["name"], case .int(let bytes) = file["bytes"] else {
        Issue.record("\(file) is not a file")
        continue
      }
      let stored = try #require(scene.daemon.fileSystem[TestDaemon.directory + "/" + name])
      // After the bytes in use, there is at most reserved space.
      #expect(stored.dropFirst(Int(bytes)).allSatisfy { $0 == 0 })
    }
    #expect(!backup.hasEnded)
    // The connection only has to stay open.
    scene.daemon.wait(seconds: 60)
    #expect(backup.take().count >= 2)
    #expect(!backup.hasEnded)
  }

  @Test func aBackupDelaysTheRemovalOfSegmentsUntilItEnds() throws {
    let scene = try Scene { $0.maximumUse = .bytes(1 << 20) }
    let backup = scene.copier.stream("Backup")
    let second = try scene.daemon.connect(user: 900)
    let secondBackup = second.stream("Backup")
    #expect(try scene.metric("backups_running") == 2)
    #expect(try scene.metric("log_kept_for_backup") == 0)
    #expect(try scene.root.call("Vacuum", ["maxUse": 0]) == ["firstPosition": 1, "freed": 0])
    #expect(try scene.metric("log_kept_for_backup") == 1)
    #expect(scene.names.count == 5)
    var next = scene.daemon.service.settings.configuration
    next.maximumUse = .bytes(0)
    scene.daemon.nextConfiguration = .success(next)
    try scene.root.call("Reload")
    try scene.fill()
    #expect(scene.names.count == 6)
    #expect(scene.daemon.journal.messages.filter { $0.hasPrefix("a backup is in progress") }.count == 1)
    // One of the two is enough, and it may hang up.
    scene.copier.hangUp()
    scene.daemon.wait(seconds: 120)
    #expect(scene.names.count == 6)
    #expect(try scene.metric("backups_running") == 1)
    second.hangUp()
    #expect(!backup.hasEnded && !secondBackup.hasEnded)
    scene.daemon.wait(seconds: 5)
    #expect(scene.names.count == 2)
    #expect(try scene.metric("backups_running") == 0)
    #expect(try scene.metric("log_kept_for_backup") == 0)
  }

  @Test func onlyManagersMakeBackupsAndOnlyWithMore() throws {
    let scene = try Scene(segments: 1)
    #expect(scene.client.stream("Backup").error == CallError("PermissionDenied"))
    #expect(try scene.daemon.connect(groups: [77]).stream("Backup").error == CallError("PermissionDenied"))
    #expect(throws: CallError("ExpectedMore")) { try scene.root.call("Backup") }
    let odd = scene.root.stream("Backup", ["client": "reader"])
    #expect(odd.error == CallError("InvalidParameter", ["parameter": "client"]))
    #expect(try scene.metric("backups_running") == 0)
    #expect(try scene.daemon.connect(user: 900).stream("Backup").take().count == 1)
  }

  @Test func forgettingEndsABackup() throws {
    let scene = try Scene()
    let backup = scene.copier.stream("Backup")
    let disturbed = CallError("BackupDisturbed")
    scene.daemon.isHolding = true
    let forget = scene.root.send("Forget", ["client": "reader"])
    scene.daemon.settle()
    #expect(backup.error == disturbed)
    // No backup begins before forgetting is done.
    #expect(scene.copier.stream("Backup").error == disturbed)
    scene.daemon.release()
    #expect(try forget.answer()["records"] == 82)
    let next = scene.copier.stream("Backup")
    #expect(next.error == nil && next.take().count == 1)
    // A refused call to Forget disturbs no later backup.
    #expect(throws: CallError("InvalidParameter", ["parameter": "session"])) {
      try scene.root.call("Forget", ["session": "reader"])
    }
    #expect(next.error == nil)
  }

  /// Unsynced records may be lost in a power loss, so they are not part of a backup.
  @Test func aBackupPromisesOnlySyncedRecords() throws {
    let scene = try Scene(segments: 1) { $0.sync = .never }
    try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(3))])
    #expect(scene.copier.stream("Backup").take().first?["lastPosition"] == 21)
    #expect(try scene.root.call("Sync")["position"] == 24)
    let other = try scene.daemon.connect(user: 0)
    #expect(other.stream("Backup").take().first?["lastPosition"] == 24)
  }

  /// A copy of a log that grows and rotates during the backup folds to the daemon's state.
  @Test func aBackupUnderLoadHoldsWhatTheDaemonHad() throws {
    let scene = try Scene { $0.maximumUse = .bytes(1000) }
    let reply = try #require(scene.copier.stream("Backup").take().first)
    let state = try scene.client.call("Get", ["client": "reader"])["state"]
    guard case .array(let files) = reply["files"], case .int(let last) = reply["lastPosition"] else {
      Issue.record("\(reply) lists no files")
      return
    }
    let firsts = files.compactMap { if case .int(let first) = $0["firstPosition"] { first } else { nil } }
    let backup = LogBackup(
      of: TestDaemon.directory, fileSystem: scene.daemon.fileSystem, firstPositions: firsts, through: last)
    var options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 1))
    options.now = { 1_700_000_000_000_000 }
    let report = try backup.write(to: "/backup", options: options) { _ in try scene.fill() }
    #expect(!report.isDamaged && report.lastPosition == last)
    let log = try EventLog.open(directory: "/backup", fileSystem: scene.daemon.fileSystem.afterKill(), options: options)
    let session = try #require(log.projection.session(of: ClientID(user: 1000, name: "reader")))
    #expect(log.projection.position == last)
    #expect(state["position"] == .int(session.lastPosition))
    #expect(log.generations.lastPosition(sharedWith: 1) == last)
  }
}
