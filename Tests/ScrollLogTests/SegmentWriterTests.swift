import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The writer, on good and on failing disks.
@Suite struct SegmentWriterTests {
  static let seed = SeededGenerator.seed

  @Test func aCommitIsOneWriteAndOneSync() throws {
    let fileSystem = FaultyFileSystem()
    var options = LogFixture.options()
    options.preallocation = 1 << 20
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    let before = fileSystem.operations.count
    let block = feed.block(&builder)
    try log.writer.write(block)
    let looks: Set<FileOperation> = [.size, .look]
    #expect(fileSystem.operations[before...].map(\.operation).filter { !looks.contains($0) } == [.write, .sync])
    #expect(log.writer.status.synced == block.lastPosition)
    #expect(log.writer.status.written == block.lastPosition)
  }

  /// Another program does something to the file of the log, and the daemon appends to it.
  @Test(arguments: [SyncMode.commit, .interval(microseconds: 100), .never], Interference.allCases)
  func nothingIsAcknowledgedOnceAnotherProgramHasTouchedTheFile(mode: SyncMode, interference: Interference) throws {
    let fileSystem = FaultyFileSystem()
    let clock = SteppedClock()
    var options = LogFixture.options(mode)
    options.monotonic = { clock.now }
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    let written = log.writer.status.written
    try interference.apply(to: LogFixture.firstSegment, fileSystem)
    // Only a file that still has a name may go unnoticed, for as long as a look at the name counts.
    if interference == .renamed { clock.now += SegmentFile.nameCheckInterval }
    for _ in 0..<2 {
      let block = feed.block(&builder)
      let error = try thrown(WriteError.self) { try log.writer.write(block) }
      _ = try interference.error(of: error)
      #expect("\(error)".contains(interference.text))
    }
    #expect(throws: WriteError.self) { try log.writer.sync() }
    #expect(throws: WriteError.self) { try log.writer.stop() }
    #expect(log.writer.status.written == written)
  }

  /// A file that another program has renamed is noticed within a bounded time, also by a writer that never pauses. A writer that
  /// syncs each block notices it at once.
  @Test(arguments: [SyncMode.commit, .interval(microseconds: 1 << 30), .never])
  func aRenamedFileIsNoticedInTime(mode: SyncMode) throws {
    let fileSystem = FaultyFileSystem()
    let clock = SteppedClock()
    var options = LogFixture.options(mode)
    options.monotonic = { clock.now }
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    try Interference.renamed.apply(to: LogFixture.firstSegment, fileSystem)
    let renamed = clock.now
    var noticed: WriteError?
    while noticed == nil, clock.now - renamed <= 2 * SegmentFile.nameCheckInterval {
      do throws(WriteError) { try log.writer.write(feed.block(&builder)) } catch { noticed = error }
      if noticed == nil { clock.now += 500 }
    }
    #expect(noticed.map { "\($0)".contains(Interference.renamed.text) } == true)
    #expect(clock.now - renamed <= (mode == .commit ? 0 : SegmentFile.nameCheckInterval))
  }

  /// Between two looks at its name, a block costs a look at the file only.
  @Test func theNameOfTheFileIsLookedUpFromTimeToTime() throws {
    let fileSystem = FaultyFileSystem()
    let clock = SteppedClock()
    var options = LogFixture.options(.never)
    options.monotonic = { clock.now }
    options.preallocation = 1 << 20
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    let before = fileSystem.operations.count
    for _ in 0..<40 {
      clock.now += SegmentFile.nameCheckInterval / 10
      try log.writer.write(feed.block(&builder))
    }
    let looks = fileSystem.operations[before...].map(\.operation)
    #expect(looks.filter { $0 == .look }.count == 4 && looks.filter { $0 == .size }.count == 40)
  }

  /// The same between the write and its sync.
  @Test(arguments: Interference.allCases)
  func aSyncIsNotAcknowledgedOnceAnotherProgramHasTouchedTheFile(interference: Interference) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem, LogFixture.options(.never))
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    try interference.apply(to: LogFixture.firstSegment, fileSystem)
    let error = try thrown(WriteError.self) { try log.writer.sync() }
    #expect("\(error)".contains(interference.text))
    #expect(log.writer.status.synced == 0)
  }

  enum Interference: CaseIterable {
    case emptied, cut, renamed, removed, replaced

    func apply(to path: String, _ fileSystem: FaultyFileSystem) throws {
      switch self {
      case .emptied: try fileSystem.openForWriting(path).truncate(to: 0)
      case .cut: try fileSystem.openForWriting(path).truncate(to: 200)
      case .renamed: try fileSystem.rename(path, to: path + ".old")
      case .removed: try fileSystem.remove(path)
      case .replaced: fileSystem[path] = fileSystem[path]
      }
    }

    var text: String {
      switch self {
      case .emptied, .cut: "has cut \(LogFixture.firstSegment) while"
      case .renamed, .removed: "has removed or renamed \(LogFixture.firstSegment)"
      case .replaced: "in the place of \(LogFixture.firstSegment)"
      }
    }

    func error(of found: WriteError) throws -> FileError {
      guard case .failed(let error) = found else { throw found }
      #expect(error.interference != nil && error.path == LogFixture.firstSegment)
      return error
    }
  }

  @Test func withoutASyncNothingCountsAsSynced() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem, LogFixture.options(.never))
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    let block = feed.block(&builder)
    try log.writer.write(block)
    #expect(log.writer.status.synced == 0)
    #expect(log.writer.status.written == block.lastPosition)
    #expect(log.writer.syncDue == nil)
    try log.writer.sync()
    #expect(log.writer.status.synced == block.lastPosition)
  }

  @Test func anIntervalCountsFromTheOldestUnsyncedWrite() throws {
    let clock = SteppedClock()
    var options = LogFixture.options(.interval(microseconds: 100))
    options.monotonic = { clock.now }
    let log = try LogFixture.open(FaultyFileSystem(), options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    #expect(log.writer.syncDue == nil)
    clock.now = 1000
    try log.writer.write(feed.block(&builder))
    clock.now = 1050
    try log.writer.write(feed.block(&builder))
    #expect(log.writer.syncDue == 1100)
    try log.writer.sync()
    #expect(log.writer.syncDue == nil)
    #expect(log.writer.status.synced == log.writer.status.written)
  }

  /// After any operation of a write fails, nothing is acknowledged, then or later.
  @Test(arguments: [FileOperation.preallocate, .write, .sync])
  func afterAFailureNothingIsAcknowledged(operation: FileOperation) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    fileSystem.failNext(operation, with: .inputOutput)
    let failure = FileError(operation, path: LogFixture.firstSegment, code: .inputOutput)
    let block = feed.block(&builder)
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(block) }
    #expect(log.writer.status.synced == 0)
    // The disk works again, but it is unknown what it has of the earlier writes.
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(block) }
    #expect(throws: WriteError.failed(failure)) { try log.writer.sync() }
    #expect(throws: WriteError.failed(failure)) { try log.writer.roll(log.projection.checkpoint()) }
    #expect(throws: WriteError.failed(failure)) { try log.writer.stop() }
    #expect(log.writer.status.synced == 0)
    #expect(log.writer.syncDue == nil)
  }

  /// A sync that finds no space may have dropped data, and the writer cannot write it again.
  @Test func aSyncThatFindsNoSpaceIsAFailure() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    fileSystem.failNext(.sync, with: .noSpace)
    let block = feed.block(&builder)
    let failure = FileError(.sync, path: LogFixture.firstSegment, code: .noSpace)
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(block) }
    #expect(throws: WriteError.failed(failure)) { try log.writer.sync() }
  }

  @Test(arguments: [Errno.noSpace, .quotaExceeded])
  func aFullDiskRefusesBlocksAndRecovers(code: Errno) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    let first = feed.block(&builder)
    try log.writer.write(first)
    let status = log.writer.status
    let inFlight = feed.block(&builder)
    let behind = feed.block(&builder)
    fileSystem.failNext(.write, with: code)
    let full = FileError(.write, path: LogFixture.firstSegment, code: code)
    #expect(throws: WriteError.noSpace(full)) { try log.writer.write(inFlight) }
    #expect(throws: WriteError.outOfOrder(expected: inFlight.firstPosition)) { try log.writer.write(behind) }
    // The reserved space is freed as well.
    var expected = status
    expected.reservedBytes = status.segmentBytes
    #expect(log.writer.status == expected)
    // Half of the block was written, and has been cut off.
    #expect(fileSystem[LogFixture.firstSegment]?.count == Int(status.segmentBytes))
    // Other records can get the same positions.
    builder.restart(at: inFlight.firstPosition)
    let session = SessionID(high: 1, low: 1)
    builder.append(Opening(client: ClientID(user: 8, name: "other"), time: 1, policy: .safari), of: session)
    let finished = builder.finish(received: 1)
    let other = try #require(finished)
    try log.writer.write(other)
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(again.generations.current == 1)
    #expect(again.nextPosition == other.lastPosition + 1)
    #expect(try LogFixture.records(again).last?.session == session)
  }

  @Test func aRefusedBlockCanBeWrittenAgain() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    fileSystem.capacity = 0
    let block = feed.block(&builder)
    for _ in 0..<3 {
      #expect(throws: WriteError.self) { try log.writer.write(block) }
    }
    fileSystem.capacity = .max
    try log.writer.write(block)
    #expect(try LogFixture.records(try LogFixture.open(fileSystem.afterKill())) == feed.expected)
  }

  /// A block is written if there is space for it, even if none can be reserved ahead.
  @Test func theLastBytesOfADiskAreUsed() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    let block = feed.block(&builder)
    fileSystem.capacity =
      Int(log.writer.status.segmentBytes) + block.byteCount + Int(SegmentHead.reserveForMarks)
    try log.writer.write(block)
    #expect(log.writer.status.synced == block.lastPosition)
    let next = feed.block(&builder)
    #expect(throws: WriteError.self) { try log.writer.write(next) }
  }

  /// Appends used to take the last byte of the disk. A shutdown then found no space for its mark, and a start after a kill
  /// failed until the user made space.
  @Test func marksFindRoomOnADiskFilledByAppends() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    fileSystem.capacity = 30_000
    var expected: [StoredRecord] = []
    do throws(WriteError) {
      while true {
        try log.writer.write(feed.block(&builder, calls: 1))
        expected = feed.expected
      }
    } catch {
      guard case .noSpace = error else { throw error }
    }
    #expect(expected.count > 10)
    // Another process takes all remaining space.
    let capacity = try #require(fileSystem[LogFixture.firstSegment]).count
    var left = fileSystem.afterKill()
    for _ in 0..<3 {
      left.capacity = capacity
      let recovered = try LogFixture.open(left)
      #expect(
        recovered.notes == [.recoveredInPlace(file: LogFixture.firstSegment, through: Int64(expected.count))])
      #expect(try LogFixture.records(recovered) == expected)
      try recovered.writer.stop()
      left = left.afterKill()
      left.capacity = capacity
      let again = try LogFixture.open(left)
      #expect(again.notes.isEmpty)
      #expect(try LogFixture.records(again) == expected)
      left = left.afterKill()
    }
  }

  /// When a partly written block cannot be cut off, the writer must refuse everything.
  @Test func aFullDiskThatCannotBeCutIsAFailure() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    fileSystem.failNext(.write, with: .noSpace)
    fileSystem.failNext(.truncate, with: .inputOutput)
    let block = feed.block(&builder)
    let failure = FileError(.truncate, path: LogFixture.firstSegment, code: .inputOutput)
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(block) }
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(block) }
  }

  /// A new segment's name could not be synced for lack of space. The writer used to continue the old segment, so that both had
  /// the same positions, and the log was damaged.
  @Test func aNewSegmentWhoseNameCannotBeSyncedIsAFailure() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: 6))
    var observer = NoObserver()
    let first = feed.block(&builder)
    try log.writer.write(first)
    try log.projection.apply(first.view, observer: &observer)
    let expected = feed.expected
    let failure = FileError(.syncDirectory, path: LogFixture.logPath, code: .noSpace)
    fileSystem.failNext(.syncDirectory, with: .noSpace)
    #expect(throws: WriteError.failed(failure)) { try log.writer.roll(log.projection.checkpoint()) }
    #expect(throws: WriteError.failed(failure)) { try log.writer.write(feed.block(&builder)) }
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(try LogFixture.records(again) == expected)
    #expect(again.segments.firstPositions == [1, Int64(expected.count) + 1])
  }

  /// A partly written block was cut off on a full disk, and the segment was sealed without another sync. After a power loss
  /// the part was back, after the end of a sealed segment, which no recovery repairs.
  @Test func aBlockThatFoundNoSpaceDoesNotComeBackInASealedSegment() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: 7))
    var observer = NoObserver()
    let first = feed.block(&builder)
    try log.writer.write(first)
    try log.projection.apply(first.view, observer: &observer)
    fileSystem.failNext(.write, with: .noSpace)
    #expect(throws: WriteError.self) { try log.writer.write(feed.block(&builder, calls: 20)) }
    try log.writer.roll(log.projection.checkpoint())
    var random = SeededGenerator.ofThisRun(6)
    for kind in PowerLoss.kinds {
      let lost = fileSystem.afterPowerLoss(kind, &random)
      let verified = try LogVerification.verify(directory: LogFixture.directory, fileSystem: lost)
      #expect(verified.allSatisfy { $0.problems.isEmpty }, "\(kind)")
    }
  }

  @Test(arguments: [FileOperation.create, .write, .sync, .rename])
  func aRollOnAFullDiskLeavesTheOldSegmentInUse(operation: FileOperation) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    var observer = NoObserver()
    let first = feed.block(&builder)
    try log.writer.write(first)
    try log.projection.apply(first.view, observer: &observer)
    let checkpoint = log.projection.checkpoint()
    fileSystem.failNext(operation, with: .noSpace)
    let file = LogFixture.logPath + "/" + SegmentName.of(checkpoint.position + 1) + SegmentName.temporarySuffix
    let full = FileError(operation, path: file, code: .noSpace)
    #expect(throws: WriteError.noSpace(full)) { try log.writer.roll(checkpoint) }
    #expect(fileSystem.names(in: LogFixture.logPath).count == 1)
    let second = feed.block(&builder)
    try log.writer.write(second)
    #expect(throws: WriteError.outOfOrder(expected: second.lastPosition + 1)) { try log.writer.roll(checkpoint) }
    try log.projection.apply(second.view, observer: &observer)
    try log.writer.roll(log.projection.checkpoint())
    #expect(log.writer.status.segment == second.lastPosition + 1)
    // No segment may follow one without records, since it would have the same name.
    #expect(throws: WriteError.self) { try log.writer.roll(log.projection.checkpoint()) }
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(try LogFixture.records(again) == feed.expected)
  }

  /// Unused reserved space is freed when a segment is sealed.
  @Test func aSealedSegmentEndsWhereItsBlocksEnd() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    var observer = NoObserver()
    let block = feed.block(&builder)
    try log.writer.write(block)
    try log.projection.apply(block.view, observer: &observer)
    let end = log.writer.status.segmentBytes
    #expect((fileSystem[LogFixture.firstSegment]?.count ?? 0) > Int(end))
    try log.writer.roll(log.projection.checkpoint())
    #expect(fileSystem[LogFixture.firstSegment]?.count == Int(end) + SegmentSeal.blockSize)
  }

  /// A mark that a failed sync left in the page cache must not pass for a clean shutdown.
  @Test func aMarkThatCannotBeSyncedIsCutOff() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    try log.writer.write(feed.block(&builder))
    fileSystem.failNext(.sync, with: .inputOutput)
    let failure = FileError(.sync, path: LogFixture.firstSegment, code: .inputOutput)
    #expect(throws: WriteError.failed(failure)) { try log.writer.stop() }
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(again.notes == [.recovered(file: LogFixture.firstSegment, through: again.nextPosition - 1)])
    #expect(try LogFixture.records(again) == feed.expected)
  }
}
