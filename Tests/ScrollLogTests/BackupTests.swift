import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Copies of logs: what they hold, and that failed ones leave nothing.
@Suite struct BackupTests {
  static let seed = SeededGenerator.seed
  private static let directory = "/backup"
  private static let step = 12
  private static let logPath = "/backup/log"

  /// An open log of three segments, with blocks after the position that is copied.
  private struct Scene {
    let fileSystem: FaultyFileSystem
    let log: OpenedLog
    let expected: [StoredRecord]
    /// The last positions of the last segment's blocks, after the one before the segment.
    let ends: [Position]
    let firstPositions: [Position]

    init(seed: UInt64 = BackupTests.seed) throws {
      fileSystem = FaultyFileSystem()
      log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var feed = RandomFeed(SeededGenerator(seed: seed))
      var observer = NoObserver()
      var ends: [Position] = []
      for segment in 0..<3 {
        if segment > 0 {
          try log.writer.roll(log.projection.checkpoint())
          log.segments.add(log.writer.status.segment)
        }
        ends = [log.writer.status.written]
        for _ in 0..<3 {
          let block = feed.block(&builder, calls: 3)
          try log.writer.write(block)
          try log.projection.apply(block.view, observer: &observer)
          ends.append(block.lastPosition)
        }
      }
      expected = feed.expected
      self.ends = ends
      firstPositions = log.segments.firstPositions
    }

    func backup(through last: Position) -> LogBackup {
      LogBackup(of: LogFixture.directory, fileSystem: fileSystem, firstPositions: firstPositions, through: last)
    }
  }

  private static func open(_ fileSystem: FaultyFileSystem) throws -> OpenedLog {
    try EventLog.open(directory: directory, fileSystem: fileSystem, options: LogFixture.options(boot: 5))
  }

  /// Returns the first operation and, without end, some of the others, so that several runs together try all of them.
  private static func someOperations(_ random: inout SeededGenerator) -> some Sequence<Int> {
    let second = Int.random(in: 1...step, using: &random)
    return sequence(first: 0) { $0 == 0 ? second : $0 + step }
  }

  @Test func aCopyHoldsEverythingUpToThePositionAndContinuesAsAnotherHistory() throws {
    let scene = try Scene()
    for last in scene.ends {
      let report = try scene.backup(through: last).write(to: Self.directory, options: LogFixture.options(boot: 4))
      #expect(!report.isDamaged)
      #expect(report.records == Int(last))
      #expect(report.firstPosition == 1 && report.lastPosition == last)
      #expect(report.generation == 1_700_000_000_000_000)
      #expect(report.segments.count == 3)
      let sizes = scene.fileSystem.names(in: Self.logPath).compactMap {
        scene.fileSystem[Self.logPath + "/" + $0]?.count
      }
      #expect(report.bytes == Int64(sizes.reduce(0, +)))

      let restored = scene.fileSystem.afterKill()
      let log = try Self.open(restored)
      #expect(log.notes == [.newGeneration(report.generation + 1, after: last, .restored)])
      #expect(try LogFixture.records(log) == Array(scene.expected.prefix(Int(last))))
      #expect(log.generations.current == report.generation + 1)
      #expect(log.generations.lastPosition(sharedWith: 1) == last)
      // The copy accepts new records.
      var builder = LogFixture.builder(log)
      builder.append(
        Opening(client: ClientID(user: 1, name: "new"), time: 1, policy: .safari), of: SessionID(high: 7, low: 7))
      let block = builder.finish(received: log.projection.received)
      try log.writer.write(#require(block))
      try log.writer.stop()
      // From then on it is a log like any other.
      let again = try Self.open(restored.afterKill())
      #expect(again.notes.isEmpty && again.generations == log.generations)
      for name in scene.fileSystem.names(in: Self.logPath) { scene.fileSystem[Self.logPath + "/" + name] = nil }
    }
  }

  /// The daemon may seal and pack the last segment in the meantime.
  @Test(arguments: [false, true]) func aSegmentSealedDuringTheBackupIsCopiedUpToThePosition(isPacked: Bool) throws {
    let scene = try Scene()
    let last = scene.ends[1]
    let backup = scene.backup(through: last)
    try scene.log.writer.roll(scene.log.projection.checkpoint())
    if isPacked {
      for first in scene.firstPositions {
        let directory = LogDirectory(path: LogFixture.directory, fileSystem: scene.fileSystem)
        _ = try SegmentPacking(directory: directory, options: LogFixture.options(), firstPosition: first).run()
      }
    }
    let report = try backup.write(to: Self.directory, options: LogFixture.options(boot: 4))
    #expect(report.lastPosition == last && !report.isDamaged)
    #expect(try LogFixture.records(Self.open(scene.fileSystem.afterKill())).count == Int(last))
  }

  @Test func aLogWithoutRecordsCanBeCopied() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    let backup = LogBackup(of: LogFixture.directory, fileSystem: fileSystem, firstPositions: [1], through: 0)
    let report = try backup.write(to: Self.directory, options: LogFixture.options())
    #expect(report.records == 0 && report.lastPosition == 0)
    #expect(try Self.open(fileSystem.afterKill()).nextPosition == 1)
    withExtendedLifetime(log.lock) {}
  }

  @Test func aStoppedLogIsCopiedWholeButOnlyWhileNoDaemonHasItOpen() throws {
    let scene = try Scene()
    let error = try thrown(OpenError.self) {
      _ = try LogBackup(ofStopped: LogFixture.directory, fileSystem: scene.fileSystem)
    }
    #expect(error == .locked(path: LogFixture.directory + "/lock"))
    for isStopped in [false, true] {
      if isStopped { try scene.log.writer.stop() }
      let fileSystem = scene.fileSystem.afterKill()
      let backup = try LogBackup(ofStopped: LogFixture.directory, fileSystem: fileSystem)
      let report = try backup.write(to: Self.directory, options: LogFixture.options(boot: 4))
      #expect(report.lastPosition == Int64(scene.expected.count))
      #expect(throws: OpenError.self) { try LogFixture.open(fileSystem) }
      #expect(try LogFixture.records(Self.open(fileSystem.afterKill())) == scene.expected)
      for name in fileSystem.names(in: Self.logPath) { fileSystem[Self.logPath + "/" + name] = nil }
    }
    let empty = FaultyFileSystem()
    _ = try empty.makeDirectory(LogFixture.directory)
    _ = try empty.makeDirectory(LogFixture.logPath)
    #expect(throws: BackupError.noLog(LogFixture.directory)) {
      try LogBackup(ofStopped: LogFixture.directory, fileSystem: empty)
    }
  }

  /// The copy must not begin the same generation as the log, even if that one has no records yet.
  @Test func theCopyBeginsANewGenerationEvenIfTheLastOneHasNoRecords() throws {
    let scene = try Scene()
    _ = try scene.backup(through: scene.ends[3]).write(to: "/first", options: LogFixture.options(boot: 4))
    let fileSystem = scene.fileSystem.afterKill()
    let backup = try LogBackup(ofStopped: "/first", fileSystem: fileSystem)
    let report = try backup.write(to: Self.directory, options: LogFixture.options(boot: 4))
    #expect(report.generation == 1_700_000_000_000_001)
    let generations = try Self.open(fileSystem.afterKill()).generations
    #expect(generations.lastPosition(sharedWith: 1_700_000_000_000_000) == scene.ends[3])
  }

  /// Both logs continued in the generation that the backup had begun, so a subscriber to one could be sent the records of the
  /// other.
  @Test func twoLogsRestoredFromOneBackupShareNoLaterGeneration() throws {
    let scene = try Scene()
    let backup = scene.backup(through: scene.ends[3])
    let report = try backup.write(to: Self.directory, options: LogFixture.options(boot: 4))
    var found: [GenerationHistory] = []
    // Not even if one copy has a torn tail.
    for garbage in [0, 0, 100] {
      let fileSystem = scene.fileSystem.afterKill()
      let last = Self.logPath + "/" + SegmentName.of(scene.firstPositions[2])
      let bytes = try #require(fileSystem[last])
      fileSystem[last] = bytes + [UInt8](repeating: 7, count: garbage)
      var options = LogFixture.options(boot: 5)
      let now = 1_800_000_000_000_000 + Int64(found.count)
      options.now = { now }
      let log = try EventLog.open(directory: Self.directory, fileSystem: fileSystem, options: options)
      #expect(log.generations.current == now)
      found.append(log.generations)
      try log.writer.stop()
    }
    for (one, other) in zip(found, found.dropFirst()) {
      #expect(one.lastPosition(sharedWith: other.current) == nil)
      #expect(other.lastPosition(sharedWith: one.current) == nil)
      #expect(one.lastPosition(sharedWith: report.generation) == scene.ends[3])
    }
  }

  /// A copy that is repaired before a daemon opens it is still a copy.
  @Test func aRepairedCopyStillBeginsAGeneration() throws {
    let scene = try Scene()
    let backup = scene.backup(through: scene.ends[3])
    let report = try backup.write(to: Self.directory, options: LogFixture.options(boot: 4))
    let last = Self.logPath + "/" + SegmentName.of(scene.firstPositions[2])
    // In the checkpoint, which can be rebuilt from the rest of the log.
    scene.fileSystem[last]?[SegmentHeader.size + BlockHeader.Offset.payload] ^= 1
    let repaired = try LogRepair.run(
      directory: Self.directory, fileSystem: scene.fileSystem, options: LogFixture.options(boot: 5))
    #expect(repaired.repair?.head == .rebuilt && repaired.repair?.generation == nil)
    let log = try Self.open(scene.fileSystem.afterKill())
    #expect(log.generations.current > report.generation)
    #expect(try LogFixture.records(log) == Array(scene.expected.prefix(Int(scene.ends[3]))))
  }

  @Test func aDirectoryThatIsNotEmptyIsLeftAlone() throws {
    let scene = try Scene()
    let backup = scene.backup(through: scene.ends[3])
    for path in ["/backup/note", "/backup/log/note"] {
      _ = try scene.fileSystem.makeDirectory(Self.directory)
      _ = try scene.fileSystem.makeDirectory(Self.logPath)
      scene.fileSystem[path] = [1]
      #expect(throws: BackupError.notEmpty(Self.directory)) {
        try backup.write(to: Self.directory, options: LogFixture.options())
      }
      #expect(
        scene.fileSystem.names(in: Self.directory).filter { $0 != "log" } + scene.fileSystem.names(in: Self.logPath)
          == ["note"])
      scene.fileSystem[path] = nil
    }
  }

  @Test func aFailedCopyLeavesNothing() throws {
    let scene = try Scene()
    var random = SeededGenerator(seed: Self.seed)
    var failures = 0
    for index in Self.someOperations(&random) {
      let fileSystem = try Scene().fileSystem
      fileSystem.fail(index, with: .noSpace)
      let backup = LogBackup(
        of: LogFixture.directory, fileSystem: fileSystem, firstPositions: scene.firstPositions, through: scene.ends[2])
      do {
        _ = try backup.write(to: Self.directory, options: LogFixture.options())
        break
      } catch {
        failures += 1
        #expect((error as? FileError)?.code == .noSpace, "operation \(index)")
        #expect(fileSystem.names(in: Self.logPath).isEmpty, "operation \(index)")
      }
    }
    #expect(failures > 30 / Self.step)
  }

  @Test func aCancelledCopyIsRemoved() throws {
    struct CalledOff: Error {}
    let scene = try Scene()
    for calls in 0..<3 {
      var left = calls
      #expect(throws: CalledOff.self) {
        try scene.backup(through: scene.ends[3]).write(to: Self.directory, options: LogFixture.options()) { copied in
          #expect(copied > 0)
          if left == 0 { throw CalledOff() }
          left -= 1
        }
      }
      #expect(scene.fileSystem.names(in: Self.logPath).isEmpty)
    }
  }

  /// Whenever the machine goes down, it leaves a log that may begin later, without any incomplete file.
  @Test func anInterruptedCopyIsALogThatBeginsLater() throws {
    var random = SeededGenerator(seed: Self.seed)
    var found: Set<Int> = []
    for index in Self.someOperations(&random) {
      let scene = try Scene()
      scene.fileSystem.crash(at: index)
      var isDone = false
      do {
        _ = try scene.backup(through: scene.ends[2]).write(to: Self.directory, options: LogFixture.options())
        isDone = true
      } catch is FileError {}
      let after = scene.fileSystem.afterPowerLoss(&random)
      let segments = after.names(in: Self.logPath).filter { $0.hasSuffix(SegmentName.suffix) }
      found.insert(segments.count)
      #expect(!isDone || segments.count == 3)
      if !segments.isEmpty {
        let log = try Self.open(after)
        #expect(log.generations.current == 1_700_000_000_000_001, "operation \(index)")
        let first = log.segments.firstPosition
        let expected = scene.expected[Int(first - 1)..<Int(scene.ends[2])]
        #expect(try LogFixture.records(log) == Array(expected), "operation \(index)")
      }
      if isDone { break }
    }
    #expect(found.isSuperset(of: [0, 3]) && found.isSubset(of: [0, 1, 2, 3]))
  }

  @Test func damageInASealedSegmentIsCopiedAndReported() throws {
    let scene = try Scene()
    let first = LogFixture.firstSegment
    var bytes = try #require(scene.fileSystem[first])
    bytes[bytes.count / 2] ^= 1
    scene.fileSystem[first] = bytes
    let report = try scene.backup(through: scene.ends[3]).write(to: Self.directory, options: LogFixture.options())
    #expect(report.isDamaged)
    #expect(report.segments.map(\.problems.isEmpty) == [false, true, true])
    #expect(scene.fileSystem[Self.logPath + "/" + SegmentName.of(1)] == bytes)
  }

  @Test func aDamagedLastSegmentIsNotCopied() throws {
    let scene = try Scene()
    let path = LogFixture.logPath + "/" + SegmentName.of(scene.firstPositions[2])
    var bytes = try #require(scene.fileSystem[path])
    bytes[Int(scene.log.writer.status.segmentBytes) - BlockHeader.trailerSize - 1] ^= 1
    scene.fileSystem[path] = bytes
    let damage = try thrown(LogDamage.self) {
      _ = try scene.backup(through: scene.ends[3]).write(to: Self.directory, options: LogFixture.options())
    }
    #expect(damage.file == path)
    #expect(damage.reason == "position \(scene.ends[2] + 1) is missing here")
    #expect(scene.fileSystem.names(in: Self.logPath).isEmpty)
  }
}
