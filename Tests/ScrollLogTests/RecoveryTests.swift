import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Starts after kills, power losses and damage.
@Suite struct RecoveryTests {
  static let seed = SeededGenerator.seed

  /// A crash can cut the last segment to any length.
  @Test func everyCutOfTheLastSegmentKeepsTheWholeBlocksBeforeIt() throws {
    let (fileSystem, expected, ends) = try LogFixture.filled(blocks: 5, seed: Self.seed, calls: 1)
    let whole = try #require(fileSystem[LogFixture.firstSegment])
    let used = Int(try #require(ends.last))
    for length in Int(ends[0])...used {
      let fileSystem = FaultyFileSystem()
      _ = try fileSystem.makeDirectory(LogFixture.directory)
      _ = try fileSystem.makeDirectory(LogFixture.logPath)
      fileSystem[LogFixture.firstSegment] = Array(whole[..<length])
      let log = try LogFixture.open(fileSystem)
      let blocks = ends.lastIndex { $0 <= Int64(length) } ?? 0
      let last = try Self.lastPosition(whole, ends, blocks)
      #expect(log.nextPosition == last + 1)
      #expect(try LogFixture.records(log) == Array(expected.prefix(Int(last))))
      // A tail of zeros was never written; any other tail is cut and kept.
      let tail = whole[Int(ends[blocks])..<length]
      let isTorn = tail.contains { $0 != 0 }
      #expect(log.notes.contains { if case .cutTornTail = $0 { true } else { false } } == isTorn)
      #expect(log.generations.current == (isTorn ? 2 : 1))
      let torn = fileSystem.names(in: LogFixture.logPath).filter { $0.hasSuffix(".torn") }
      #expect(torn.count == (isTorn ? 1 : 0))
      if isTorn, let name = torn.first, let kept = fileSystem[LogFixture.logPath + "/" + name] {
        let significant = tail[...(tail.lastIndex { $0 != 0 } ?? tail.startIndex)]
        #expect(Array(kept[144...]) == Array(significant))
      }
    }
  }

  private static func lastPosition(_ bytes: [UInt8], _ ends: [Int64], _ blocks: Int) throws -> Position {
    guard blocks > 0 else { return 0 }
    let start = Int(ends[blocks - 1])
    return bytes.withUnsafeBytes { raw in
      let first = raw.loadUnaligned(fromByteOffset: start + 24, as: Int64.self)
      return first + Int64(raw.loadUnaligned(fromByteOffset: start + 20, as: UInt32.self)) - 1
    }
  }

  /// No flipped bit leads to a record that was never written.
  @Test func aFlippedBitIsFound() throws {
    var random = SeededGenerator.ofThisRun(73)
    let (fileSystem, expected, ends) = try LogFixture.filled(blocks: 6, seed: Self.seed, calls: 2)
    let bytes = try #require(fileSystem[LogFixture.firstSegment])
    let lastBlock = Int(ends[ends.count - 2])
    for byte in 0..<Int(ends[ends.count - 1]) {
      for bit in random.some(of: 8, each: 4) {
        var flipped = bytes
        flipped[byte] ^= 1 << bit
        fileSystem[LogFixture.firstSegment] = flipped
        let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
        #expect(found[0].problems.count + (found[0].unfinished == nil ? 0 : 1) == 1, "byte \(byte), bit \(bit)")
        guard bit < 4 else { continue }
        let copy = fileSystem.afterKill()
        do {
          let log = try LogFixture.open(copy)
          // Only the last block can look like an unfinished one.
          #expect(byte >= lastBlock)
          #expect(log.generations.current == 2)
          let records = try LogFixture.records(log)
          #expect(records.count < expected.count)
          #expect(records == Array(expected.prefix(records.count)))
        } catch let error as OpenError {
          guard case .damaged(let damage) = error else { throw error }
          #expect(byte < lastBlock)
          #expect(damage.file == LogFixture.firstSegment)
          #expect(damage.offset <= Int64(byte))
          // The file is unchanged.
          #expect(copy[LogFixture.firstSegment] == flipped)
        }
      }
    }
  }

  @Test func aCleanShutdownNeedsNoRecovery() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 3, seed: Self.seed, stopped: true)
    let before = try #require(fileSystem[LogFixture.firstSegment])
    let log = try LogFixture.open(fileSystem, LogFixture.options(boot: 2))
    #expect(log.notes.isEmpty)
    #expect(log.generations.current == 1)
    #expect(try LogFixture.records(log) == expected)
    let after = try #require(fileSystem[LogFixture.firstSegment])
    let identifier = 16..<24
    #expect(before[identifier] == after[identifier])
  }

  @Test func afterAnUncleanShutdownTheSegmentIsRewrittenBeforeAnythingIsServed() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 3, seed: Self.seed)
    let before = try #require(fileSystem[LogFixture.firstSegment])
    let log = try LogFixture.open(fileSystem)
    let steps = fileSystem.operations.filter { ![.read, .size, .list].contains($0.operation) }
    #expect(log.notes == [.recovered(file: LogFixture.firstSegment, through: log.nextPosition - 1)])
    #expect(log.generations.current == 1)
    #expect(try LogFixture.records(log) == expected)
    let after = try #require(fileSystem[LogFixture.firstSegment])
    let identifier = SegmentHeader.Offset.identifier..<SegmentHeader.Offset.generation
    #expect(before[identifier] != after[identifier])
    let temporary = LogFixture.firstSegment + ".tmp"
    let order: [FaultyFileSystem.Operation] = [
      .init(operation: .create, path: temporary), .init(operation: .write, path: temporary),
      .init(operation: .preallocate, path: temporary), .init(operation: .sync, path: temporary),
      .init(operation: .rename, path: temporary),
      .init(operation: .syncDirectory, path: LogFixture.logPath),
      .init(operation: .open, path: LogFixture.firstSegment),
      .init(operation: .remove, path: SnapshotScene.snapshotsPath),
      .init(operation: .syncDirectory, path: LogFixture.logPath),
    ]
    #expect(Array(steps.suffix(order.count)) == order)
  }

  /// Unsynced data in the page cache survives a kill, and recovery makes it survive a power loss as well.
  @Test func recordsThatSurviveAKillSurviveAPowerLossAfterTheStart() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 4, .never, seed: Self.seed)
    _ = try LogFixture.open(fileSystem, LogFixture.options(.never))
    var random = SeededGenerator.ofThisRun()
    for _ in 0..<20 {
      let log = try LogFixture.open(fileSystem.afterPowerLoss(&random), LogFixture.options(.never))
      #expect(try LogFixture.records(log) == expected)
    }
  }

  @Test(
    arguments: [
      (SyncMode.never, 1, 1), (.never, 2, 2), (.interval(microseconds: 5), 1, 1), (.interval(microseconds: 5), 2, 2),
      (.commit, 1, 1), (.commit, 2, 1),
    ] as [(SyncMode, UInt64, Generation)])
  func aNewGenerationBeginsWhenClientsMayHaveSeenUnsyncedRecords(
    mode: SyncMode, boot: UInt64, generation: Generation
  ) throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 2, mode, seed: Self.seed)
    let log = try LogFixture.open(fileSystem, LogFixture.options(boot: boot))
    #expect(log.generations.current == generation)
    #expect(log.generations.lastPosition(sharedWith: generation) == .max)
    if generation == 2 { #expect(log.generations.lastPosition(sharedWith: 1) == Int64(expected.count)) }
    #expect(log.generations.lastPosition(sharedWith: 7) == nil)
    // It is stored, and does not begin again.
    let again = try LogFixture.open(fileSystem.afterKill(), LogFixture.options(boot: boot))
    #expect(again.generations == log.generations)
    try again.writer.stop()
    let stopped = try LogFixture.open(fileSystem.afterKill(), LogFixture.options(boot: boot + 1))
    #expect(stopped.generations == log.generations)
  }

  /// The segment's own header says how the daemon synced that began it, and not the one that went on.
  @Test func theLastStartSaysWhetherRecordsWereSynced() throws {
    for (first, second, generation) in [(SyncMode.commit, SyncMode.never, 2), (.never, .commit, 1)]
      as [(SyncMode, SyncMode, Generation)]
    {
      let (fileSystem, _, _) = try LogFixture.filled(blocks: 1, first, seed: Self.seed, stopped: true)
      let log = try LogFixture.open(fileSystem, LogFixture.options(second))
      var builder = LogFixture.builder(log)
      // A random feed of its own could open a client that is open.
      builder.append(
        Opening(client: ClientID(user: 7, name: "late"), time: 5, policy: .safari), of: SessionID(high: 0xE, low: 1))
      let block = builder.finish(received: 1)
      try log.writer.write(try #require(block))
      let next = try LogFixture.open(fileSystem.afterKill(), LogFixture.options(second, boot: 2))
      #expect(next.generations.current == generation, "\(first), then \(second)")
    }
  }

  /// After a start was killed between making a directory and syncing its name, the next start found the directory and did not
  /// sync it either. A power loss then took the name, and all acknowledged records with it.
  @Test func recordsWrittenAfterAKilledStartSurviveAPowerLoss() throws {
    var random = SeededGenerator.ofThisRun(4)
    for index in 0..<10 {
      let killed = FaultyFileSystem()
      killed.crash(at: index)
      #expect(throws: OpenError.self) { try LogFixture.open(killed) }
      let fileSystem = killed.afterKill()
      let log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var feed = RandomFeed(SeededGenerator(seed: Self.seed))
      try log.writer.write(feed.block(&builder))
      let lost = fileSystem.afterPowerLoss(PowerLoss(.none, names: PowerLoss.Names.none), &random)
      #expect(try LogFixture.records(try LogFixture.open(lost)) == feed.expected, "operation \(index)")
    }
  }

  /// A daemon without access to the parent directory cannot have created the state directory, and need not sync its name.
  @Test func aStartSucceedsWithoutAccessToTheParentDirectory() throws {
    let fileSystem = FaultyFileSystem()
    _ = try fileSystem.makeDirectory(LogFixture.directory)
    fileSystem.failNext(.syncDirectory, with: .permissionDenied)
    #expect(try LogFixture.open(fileSystem).nextPosition == 1)
    let failing = FaultyFileSystem()
    failing.failNext(.syncDirectory, with: .inputOutput)
    #expect(throws: OpenError.file(FileError(.syncDirectory, path: "/", code: .inputOutput))) {
      try LogFixture.open(failing)
    }
  }

  /// The disk had space for the copy, but not for syncing its name. The start mistook that for a disk too full for a copy, and
  /// continued in place, in the copy, but with the checksums of the file that it had replaced. The next start cut off
  /// everything acknowledged since.
  @Test func aCopyWhoseNameCannotBeSyncedEndsTheStart() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 3, seed: Self.seed)
    fileSystem.failNext(.syncDirectory, with: .noSpace)
    let failure = FileError(.syncDirectory, path: LogFixture.logPath, code: .noSpace)
    #expect(throws: OpenError.file(failure)) { try LogFixture.open(fileSystem) }
    #expect(try LogFixture.records(try LogFixture.open(fileSystem.afterKill())) == expected)
  }

  /// The mark of a start after a clean shutdown is synced before any records, so that their loss is noticed.
  @Test func recordsLostAfterACleanShutdownBeginAGeneration() throws {
    let (stopped, _, _) = try LogFixture.filled(blocks: 2, .never, seed: Self.seed, stopped: true)
    let log = try LogFixture.open(stopped, LogFixture.options(.never))
    var builder = LogFixture.builder(log)
    builder.append(
      Opening(client: ClientID(user: 9, name: "new"), time: 1, policy: .safari), of: SessionID(high: 5, low: 5))
    let block = builder.finish(received: 1)
    try log.writer.write(try #require(block))
    // A power loss that takes everything unsynced.
    var random = SeededGenerator(seed: 1)
    var lost: OpenedLog?
    while lost.map({ $0.nextPosition == log.nextPosition }) != true {
      lost = try LogFixture.open(stopped.afterPowerLoss(&random), LogFixture.options(.never, boot: 2))
    }
    #expect(lost?.generations.current == 2)
  }

  @Test func damageInTheMiddleFailsTheStart() throws {
    let (fileSystem, _, ends) = try LogFixture.filled(blocks: 6, seed: Self.seed)
    fileSystem[LogFixture.firstSegment]?[Int(ends[2]) + BlockHeader.Offset.payload] ^= 1
    let error = try thrown(OpenError.self) { _ = try LogFixture.open(fileSystem) }
    guard case .damaged(let damage) = error else {
      Issue.record(error)
      return
    }
    #expect(damage.offset == ends[2])
    #expect(damage.file == LogFixture.firstSegment)
    #expect(fileSystem.names(in: LogFixture.logPath).count == 1)
  }

  /// Zeros in the place of a synced block are damage as well: a lost sector looks like this.
  @Test func aLostSyncedBlockFailsTheStart() throws {
    let (fileSystem, _, ends) = try LogFixture.filled(blocks: 4, seed: Self.seed)
    let range = Int(ends[1])..<Int(ends[2])
    fileSystem[LogFixture.firstSegment]?.replaceSubrange(range, with: repeatElement(0, count: range.count))
    let error = try thrown(OpenError.self) { _ = try LogFixture.open(fileSystem) }
    guard case .damaged(let damage) = error else {
      Issue.record(error)
      return
    }
    #expect(damage.offset == ends[1])
  }

  /// Only the last of three blocks says that the first one, which is bad, was synced. It used to be skipped, since it follows
  /// directly after one that does not, and synced records were cut off as a torn tail.
  @Test func aSyncedBlockIsFoundAfterAnUnsyncedOne() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem, LogFixture.options(.never))
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    let start = log.writer.status.segmentBytes
    for _ in 0..<2 { try log.writer.write(feed.block(&builder)) }
    try log.writer.sync()
    try log.writer.write(feed.block(&builder))
    let left = fileSystem.afterKill()
    left[LogFixture.firstSegment]?[Int(start) + BlockHeader.Offset.payload] ^= 1
    #expect {
      _ = try LogFixture.open(left)
    } throws: { error in
      guard let error = error as? OpenError, case .damaged(let damage) = error else { return false }
      return damage.offset == start
    }
  }

  /// Unsynced blocks may reach the disk in any order, and none after a hole is trusted.
  @Test func aHoleBeforeAnUnsyncedBlockIsATornTail() throws {
    let (fileSystem, expected, ends) = try LogFixture.filled(blocks: 4, .never, seed: Self.seed)
    let range = Int(ends[1])..<Int(ends[2])
    let bytes = try #require(fileSystem[LogFixture.firstSegment])
    let last = try Self.lastPosition(bytes, ends, 1)
    fileSystem[LogFixture.firstSegment]?.replaceSubrange(range, with: repeatElement(0, count: range.count))
    let log = try LogFixture.open(fileSystem)
    #expect(log.nextPosition == last + 1)
    #expect(try LogFixture.records(log) == Array(expected.prefix(Int(last))))
    #expect(log.generations.current == 2)
    #expect(log.generations.lastPosition(sharedWith: 1) == last)
  }

  /// Old blocks of another file at the same place are not trusted, although their checksums are right.
  @Test func blocksOfAnotherFileAreIgnored() throws {
    let (fileSystem, expected, ends) = try LogFixture.filled(blocks: 3, .never, seed: Self.seed)
    let (other, _, otherEnds) = try LogFixture.filled(blocks: 3, .never, seed: Self.seed)
    #expect(ends == otherEnds)
    let stale = try #require(other[LogFixture.firstSegment])
    let range = Int(ends[1])..<Int(ends[3])
    #expect(fileSystem[LogFixture.firstSegment]?[range] != stale[range])
    fileSystem[LogFixture.firstSegment]?.replaceSubrange(range, with: stale[range])
    let last = try Self.lastPosition(stale, ends, 1)
    let log = try LogFixture.open(fileSystem)
    #expect(log.nextPosition == last + 1)
    #expect(try LogFixture.records(log) == Array(expected.prefix(Int(last))))
  }

  @Test func tornTailsAreNeverOverwritten() throws {
    var (fileSystem, expected, _) = try LogFixture.filled(blocks: 2, seed: Self.seed)
    for round in 1...3 {
      // The clock does not move, and the position is the same each time.
      fileSystem[LogFixture.firstSegment]?.append(contentsOf: [UInt8](repeating: UInt8(round), count: 8))
      let log = try LogFixture.open(fileSystem)
      #expect(try LogFixture.records(log) == expected)
      let torn = fileSystem.names(in: LogFixture.logPath).filter { $0.hasSuffix(".torn") }
      #expect(torn.count == round)
      fileSystem = fileSystem.afterKill()
    }
  }

  @Test func incompleteFilesAreRemoved() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 2, seed: Self.seed, stopped: true)
    let leftover = LogFixture.logPath + "/00000000000000000009.scrolllog.tmp"
    fileSystem[leftover] = [1, 2, 3]
    let log = try LogFixture.open(fileSystem)
    #expect(log.notes == [.removedUnfinished(file: leftover)])
    #expect(fileSystem[leftover] == nil)
    #expect(try LogFixture.records(log) == expected)
  }

  @Test func theLockHasOneHolder() throws {
    let fileSystem = FaultyFileSystem()
    var log: OpenedLog? = try LogFixture.open(fileSystem)
    #expect(log?.notes == [.begun(directory: "/state")])
    #expect(throws: OpenError.locked(path: "/state/lock")) { try LogFixture.open(fileSystem) }
    log = nil
    _ = try LogFixture.open(fileSystem)
  }

  @Test func closedSessionsAreKnownFromAllSegments() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    var observer = NoObserver()
    for index in 0..<60 {
      let block = feed.block(&builder, calls: 6)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
      if index % 20 == 10 { try log.writer.roll(log.projection.checkpoint()) }
    }
    let closed = feed.expected.compactMap { stored -> SessionID? in
      if case .close = stored.record { stored.session } else { nil }
    }
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(Set(again.closedSessions.keys) == Set(closed))
    #expect(again.segments.firstPositions.count == 4)
    #expect(again.projection.checkpoint() == log.projection.checkpoint())
    #expect(try LogFixture.records(again) == feed.expected)
  }

  @Test func statesOfAnotherFoldVersionAreReported() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    var observer = NoObserver()
    let block = feed.block(&builder)
    try log.writer.write(block)
    try log.projection.apply(block.view, observer: &observer)
    var checkpoint = log.projection.checkpoint()
    checkpoint.foldVersion = 0
    try log.writer.roll(checkpoint)
    try log.writer.stop()
    #expect(try LogFixture.open(fileSystem.afterKill()).notes == [.otherFold(version: 0)])
  }

  /// Damage in a sealed segment is reported at the start, and fails only the reads that need the damaged part.
  @Test func damageInASealedSegmentFailsTheReadsThatNeedIt() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    var observer = NoObserver()
    var ends: [Int64] = []
    for _ in 0..<2 {
      for _ in 0..<5 {
        let block = feed.block(&builder)
        ends.append(log.writer.status.segmentBytes)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
      }
      try log.writer.roll(log.projection.checkpoint())
      log.segments.add(log.writer.status.segment)
    }
    fileSystem[LogFixture.firstSegment]?[Int(ends[3]) + BlockHeader.Offset.payload] ^= 4
    let again = try LogFixture.open(fileSystem.afterKill())
    let damage = LogDamage(file: LogFixture.firstSegment, offset: ends[3], reason: "the block's checksum is wrong")
    #expect(again.notes.first == .sealedDamage(damage))
    #expect(throws: ReadError.logDamaged(damage)) { try LogFixture.records(again) }
    // The second segment does not depend on the first.
    let second = again.segments.firstPositions[1]
    var reader = LogReader(again.segments.view, after: second - 1)
    guard case .block(let block) = try reader.next(through: again.nextPosition - 1) else {
      Issue.record("no block")
      return
    }
    #expect(block.firstPosition == second)
  }

  // MARK: A full disk

  /// A log after an unclean shutdown, with some space reserved after its end.
  private func filledWithReserve() throws -> (FaultyFileSystem, [StoredRecord], end: Int) {
    let fileSystem = FaultyFileSystem()
    var options = LogFixture.options()
    options.preallocation = 64 << 10
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(SeededGenerator(seed: Self.seed))
    // More records than fit into the reserved space.
    while log.writer.status.segmentBytes < 80 << 10
      || log.writer.status.reservedBytes - log.writer.status.segmentBytes < 8 << 10
    {
      try log.writer.write(feed.block(&builder, calls: 20))
    }
    return (fileSystem.afterKill(), feed.expected, Int(log.writer.status.segmentBytes))
  }

  /// When the tail is gone, nothing but the mark says that it was there: positions that were lost must not be given again in
  /// the same generation.
  @Test(
    "A power loss at any moment of a recovery in place leaves the torn tail or the new generation",
    arguments: [0, 1024])
  func powerLossDuringRecoveryInPlace(zeros: Int) throws {
    let (before, _, end) = try filledWithReserve()
    var bytes = try #require(before[LogFixture.firstSegment])
    // Of a torn block, the first sectors may be missing: then the mark doesn't overwrite what shows the tail.
    for index in 0..<64 { bytes[end + zeros + index] = 0xA5 }
    before[LogFixture.firstSegment] = bytes
    var crashed: [FaultyFileSystem] = []
    while crashed.last?.isCrashed ?? true {
      let fileSystem = before.afterKill()
      fileSystem.capacity = bytes.count
      fileSystem.crash(at: crashed.count)
      _ = try? LogFixture.open(fileSystem)
      crashed.append(fileSystem)
    }
    var random = SeededGenerator(seed: Self.seed)
    for (crash, fileSystem) in crashed.enumerated() {
      // The bad case, a cut without the mark before it, is one of many. The cut is among the last operations.
      for _ in 0..<(crash < crashed.count - 12 ? 2 : 24) {
        let next = fileSystem.afterPowerLoss(PowerLoss(.some), &random)
        next.capacity = .max
        let generation = try LogFixture.open(next).generations.current
        #expect(generation > 1, "crash at operation \(crash)")
      }
    }
    #expect(crashed.count > 10)
  }

  /// Recovery needs no space, whatever follows the good blocks.
  @Test(arguments: [0, 1, 64, 700])
  func fullDiskIsRecoveredInPlace(torn: Int) throws {
    let (fileSystem, expected, end) = try filledWithReserve()
    var bytes = try #require(fileSystem[LogFixture.firstSegment])
    for index in 0..<torn { bytes[end + index] = 0xA5 }
    fileSystem[LogFixture.firstSegment] = bytes
    // The reserved space makes room for the file that keeps the tail.
    fileSystem.capacity = bytes.count
    let log = try LogFixture.open(fileSystem)
    #expect(log.notes.last == .recoveredInPlace(file: LogFixture.firstSegment, through: Int64(expected.count)))
    #expect(try LogFixture.records(log) == expected)
    #expect(log.generations.current == (torn == 0 ? 1 : 2))
    #expect(fileSystem.names(in: LogFixture.logPath).count { $0.hasSuffix(".torn") } == (torn == 0 ? 0 : 1))
    // Appends are refused until there is space, and continue then.
    var builder = LogFixture.builder(log)
    let session = SessionID(high: 99, low: 99)
    builder.append(Opening(client: ClientID(user: 99, name: "late"), time: 1, policy: .safari), of: session)
    builder.beginRun(session, firstNumber: 1)
    for _ in 0..<9_000 { builder.append(Event(.zoomBegin, time: 1)) }
    builder.endRun()
    let finished = builder.finish(received: log.projection.received)
    let block = try #require(finished)
    #expect {
      try log.writer.write(block)
    } throws: { error in
      if case .noSpace = error as? WriteError { true } else { false }
    }
    fileSystem.capacity = .max
    try log.writer.write(block)
    try log.writer.stop()
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(again.notes.isEmpty)
    #expect(again.nextPosition == log.nextPosition + Int64(block.recordCount))
    #expect(again.generations == log.generations)
  }

  /// A power loss at each operation of a recovery in place loses no record, and never skips a new generation.
  @Test func interruptedRecoveryInPlaceIsRepeated() throws {
    let (fileSystem, expected, end) = try filledWithReserve()
    for index in 0..<300 { fileSystem[LogFixture.firstSegment]?[end + index] = 0xA5 }
    let capacity = try #require(fileSystem[LogFixture.firstSegment]).count
    var random = SeededGenerator.ofThisRun(41)
    var index = 0
    while true {
      let crashing = fileSystem.afterKill()
      crashing.capacity = capacity
      crashing.crash(at: index)
      let opened = try? LogFixture.open(crashing)
      for survival in PowerLoss.Survival.allCases {
        let left = crashing.afterPowerLoss(PowerLoss(survival), &random)
        let log = try LogFixture.open(left)
        #expect(try LogFixture.records(log) == expected, "operation \(index), \(survival)")
        #expect(log.generations.current >= 2, "operation \(index), \(survival)")
      }
      if opened != nil { break }
      index += 1
    }
    #expect(index > 20)
  }

  /// A subscriber of the previous daemon knows that the log went further.
  @Test func whatASubscriberHasSeenIsNoTornTail() throws {
    let (fileSystem, expected, ends) = try LogFixture.filled(blocks: 6, seed: SeededGenerator.seed)
    let whole = try #require(fileSystem[LogFixture.firstSegment])
    let last = Position(expected.count)
    var options = LogFixture.options()
    for hasTail in [true, false] {
      var bytes = Array(whole.prefix(Int(ends[1])))
      bytes += [UInt8](repeating: hasTail ? 7 : 0, count: 200)
      let cut = fileSystem.afterKill().with(LogFixture.firstSegment, bytes)
      options.seen = SeenPosition(generation: 1, position: last)
      if hasTail {
        let error = try thrown(OpenError.self) { _ = try LogFixture.open(cut.afterKill(), options) }
        guard case .damaged(let damage) = error else {
          Issue.record(error)
          continue
        }
        #expect(damage.offset == ends[1])
        #expect(damage.reason.contains("clients have seen positions up to \(last)"))
      } else {
        let log = try LogFixture.open(cut.afterKill(), options)
        #expect(log.generations.current == 2)
        #expect(log.notes.contains(.newGeneration(2, after: log.nextPosition - 1, .lostSeen(through: last))))
      }
      // What was seen of another log, or in another generation, says nothing.
      options.seen = SeenPosition(generation: 5, position: last)
      let other = try LogFixture.open(cut.afterKill(), options)
      #expect(other.generations.current == (hasTail ? 2 : 1))
    }
    options.seen = SeenPosition(generation: 1, position: last)
    #expect(try LogFixture.open(fileSystem.afterKill(), options).generations.current == 1)
  }
}
