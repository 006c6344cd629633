import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The repair of logs with damage in synced parts.
@Suite struct RepairTests {
  static let seed = SeededGenerator.seed

  private static func repair(_ fileSystem: FaultyFileSystem, isDryRun: Bool = false) throws -> RepairReport {
    // Time goes on during a repair.
    let clock = SteppedClock()
    var options = LogFixture.options(boot: 3)
    clock.now = options.now()
    options.now = {
      clock.now += 1
      return clock.now
    }
    return try LogRepair.run(
      directory: LogFixture.directory, fileSystem: fileSystem, options: options, isDryRun: isDryRun)
  }

  /// A log of two segments, the second one with open sessions in its checkpoint.
  private struct TwoSegments {
    let fileSystem: FaultyFileSystem
    let expected: [StoredRecord]
    let second: String
    let secondPosition: Position
    /// Where the head and the blocks of the second segment end.
    let ends: [Int64]
    let checkpoint: Checkpoint

    init(seed: UInt64, isStopped: Bool = true, calls: Int = 4) throws {
      let fileSystem = FaultyFileSystem()
      let log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var feed = RandomFeed(SeededGenerator(seed: seed))
      var observer = NoObserver()
      for _ in 0..<4 {
        let block = feed.block(&builder, calls: calls)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
      }
      checkpoint = log.projection.checkpoint()
      try log.writer.roll(checkpoint)
      secondPosition = log.writer.status.segment
      second = LogFixture.logPath + "/" + SegmentName.of(secondPosition)
      var ends = [log.writer.status.segmentBytes]
      for _ in 0..<4 {
        try log.writer.write(feed.block(&builder, calls: calls))
        ends.append(log.writer.status.segmentBytes)
      }
      if isStopped { try log.writer.stop() }
      expected = feed.expected
      self.ends = ends
      self.fileSystem = fileSystem.afterKill()
    }
  }

  /// Checks that after a repair the log holds every record but the lost ones, and begins a generation if any are lost.
  private func check(
    _ fileSystem: FaultyFileSystem, _ report: RepairReport, _ expected: [StoredRecord], _ place: Comment
  ) throws {
    let repair = try #require(report.repair, place)
    let log = try LogFixture.open(fileSystem, LogFixture.options(boot: 4))
    #expect(log.notes.allSatisfy { if case .sealedDamage = $0 { !repair.gaps.isEmpty } else { false } }, place)
    #expect(log.projection.position == repair.keptThrough, place)
    let isLost = repair.keptThrough < Int64(expected.count) || !repair.gaps.isEmpty
    #expect(!isLost || repair.generation != nil, place)
    #expect(log.generations.current == repair.generation ?? 1, place)
    #expect(
      log.generations.lastPosition(sharedWith: 1) == (repair.generation == nil ? .max : repair.keptThrough), place)
    if let lostThrough = repair.lostThrough { #expect(lostThrough <= Int64(expected.count), place) }
    let found = try LogFixture.readable(log)
    for record in expected.prefix(Int(repair.keptThrough)) {
      if repair.gaps.contains(where: { $0.contains(record.position) }) {
        #expect(found[record.position] == nil, place)
      } else if found[record.position] != record {
        #expect(found[record.position] == nil && repair.lostSessions.contains(record.session), place)
      }
    }
    let named = Set(repair.lostSessions + repair.uncertainSessions)
    var isOpeningKept: [SessionID: Bool] = [:]
    // With a bad head, nobody knows which sessions were open.
    for record in expected where repair.head != .lost {
      let isKept = found[record.position] != nil
      let isTraceable = isOpeningKept[record.session] ?? isKept
      isOpeningKept[record.session] = isTraceable
      // Nothing counts a session's requests, so nothing may show that one is lost.
      guard case .event = record.record else { continue }
      #expect(isKept || !isTraceable || named.contains(record.session), place)
    }
    let problems = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(problems.allSatisfy { $0.unfinished == nil }, place)
    #expect(problems.flatMap(\.problems).isEmpty, place)
    #expect(problems.filter(\.isGapRepaired).compactMap(\.gap) == repair.gaps, place)
    // It accepts records again.
    try log.writer.stop()
    #expect(try Self.repair(fileSystem.afterKill()).repair == nil, place)
  }

  private func keptBytes(_ fileSystem: FaultyFileSystem, _ report: RepairReport) -> [UInt8]? {
    report.repair?.kept.first.flatMap { fileSystem[$0] }
  }

  @Test func aLogThatCanBeOpenedIsNotChanged() throws {
    for isStopped in [true, false] {
      let (fileSystem, _, _) = try LogFixture.filled(blocks: 3, seed: Self.seed, stopped: isStopped)
      // The next start will cut the torn tail.
      if !isStopped { fileSystem[LogFixture.firstSegment]?.append(contentsOf: [1, 2, 3]) }
      let before = fileSystem[LogFixture.firstSegment]
      let report = try Self.repair(fileSystem)
      #expect(report.repair == nil)
      #expect(report.lines == ["Nothing to repair: a daemon can open the log in /state."])
      #expect(fileSystem[LogFixture.firstSegment] == before)
      #expect(fileSystem.names(in: LogFixture.logPath).count == 1)
    }
  }

  @Test func aMissingLogIsNotDamage() throws {
    let fileSystem = FaultyFileSystem()
    #expect(throws: OpenError.self) { try Self.repair(fileSystem) }
    _ = try fileSystem.makeDirectory(LogFixture.directory)
    _ = try fileSystem.makeDirectory(LogFixture.logPath)
    #expect(try Self.repair(fileSystem).lines == ["/state holds no log."])
    #expect(fileSystem.names(in: LogFixture.directory).isEmpty)
  }

  /// A flipped bit in each byte of the header, and in many bytes of the rest of the last segment.
  @Test func everyFlippedBitIsRepaired() throws {
    let log = try TwoSegments(seed: Self.seed, calls: 2)
    let whole = try #require(log.fileSystem[log.second])
    let end = whole.lastIndex { $0 != 0 } ?? 0
    var repaired = 0
    for byte in Array(0..<SegmentHeader.size)
      + stride(from: SegmentHeader.size + Int(Self.seed % 7), through: end, by: 7)
    {
      let fileSystem = log.fileSystem.afterKill()
      var damaged = whole
      damaged[byte] ^= 1 << UInt8(byte % 8)
      fileSystem[log.second] = damaged
      let report: RepairReport
      do {
        report = try Self.repair(fileSystem)
      } catch let error as OpenError {
        Issue.record("byte \(byte): \(error)")
        continue
      }
      // The last block can look like an unfinished one.
      guard let repair = report.repair else {
        #expect(byte >= Int(log.ends[log.ends.count - 2]))
        continue
      }
      repaired += 1
      #expect(repair.damage.offset <= Int64(byte))
      // The bad block is kept, bit by bit.
      let next = log.ends.first { $0 > Int64(byte) }.map { Int($0) } ?? end + 1
      let aside = damaged[Int(repair.damage.offset)..<next]
      let kept = try #require(keptBytes(fileSystem, report))
      #expect(Array(kept[..<SegmentHeader.size]) == Array(damaged[..<SegmentHeader.size]))
      #expect(Array(kept[KeptBytes.headSize...]) == Array(aside))
      // The head can be rebuilt from the previous segment, and the identifier that the blocks' checksums depend on from the
      // header's checksum.
      if byte < Int(log.ends[0]) {
        #expect(repair.head == .rebuilt)
        #expect(repair.keptThrough == Int64(log.expected.count))
      } else {
        #expect(repair.head == .whole)
        #expect(repair.damage.offset == log.ends.last { $0 <= Int64(byte) })
        #expect(repair.keptThrough == Int64(log.expected.count))
        #expect(repair.gaps.count == 1)
      }
      try check(fileSystem, report, log.expected, "byte \(byte)")
    }
    #expect(repaired > Int(log.ends[log.ends.count - 3]) / 7)
  }

  @Test func lostRecordsAreReported() throws {
    let log = try TwoSegments(seed: Self.seed)
    log.fileSystem[log.second]?[Int(log.ends[1]) + BlockHeader.Offset.payload] ^= 1
    let report = try Self.repair(log.fileSystem)
    let repair = try #require(report.repair)
    #expect(repair.lostThrough == nil && !repair.isCut)
    let gap = try #require(repair.gaps.first)
    let bad = log.expected[Int(gap.lowerBound) - 1].received
    #expect(log.expected.filter { $0.received == bad && $0.position >= log.secondPosition }.count == gap.count)
    #expect(repair.lostSessions.allSatisfy { id in log.expected.contains { $0.session == id } })
    #expect(report.lines.first == "\(repair.damage).")
    #expect(repair.damage.offset == log.ends[1])
    #expect(report.lines.contains("Lost: positions \(gap.lowerBound) to \(gap.upperBound)."))
    let generation = try LogFixture.open(log.fileSystem).generations.current
    #expect(report.lines.last?.hasSuffix("with generation \(generation).") == true)
  }

  /// One flipped bit set 393 of 591 records aside: everything behind it.
  @Test func aFlippedBitCostsOnlyTheRecordsOfItsBlock() throws {
    for isStopped in [true, false] {
      var scene = try SnapshotScene(FaultyFileSystem(), LogFixture.options())
      try scene.write(40, calls: 4)
      let offsets = scene.fileSystem.blockOffsets(in: LogFixture.firstSegment)
      if isStopped { try scene.stop() }
      let standing = scene.log.projection.checkpoint()
      for block in [1, 2, 20, 39] {
        let fileSystem = scene.left
        fileSystem.damageBlock(block, in: LogFixture.firstSegment)
        let report = try Self.repair(fileSystem)
        let repair = try #require(report.repair, "block \(block)")
        #expect(repair.gaps.count == 1)
        #expect(repair.keptThrough == standing.position)
        #expect(repair.bytes == Int64(offsets.count > block + 1 ? offsets[block + 1] - offsets[block] : -1))
        try check(fileSystem.afterKill(), report, scene.feed.expected, "block \(block)")
        // The snapshot of a clean shutdown says how all sessions continue, and which are open.
        let log = try LogFixture.open(fileSystem)
        if isStopped { #expect(log.projection.checkpoint().sessions == standing.sessions) }
      }
    }
  }

  @Test func severalGapsAreKeptApart() throws {
    var scene = try SnapshotScene(FaultyFileSystem(), LogFixture.options())
    try scene.write(30, calls: 4)
    try scene.stop()
    let fileSystem = scene.left
    for block in [3, 4, 9, 30] { fileSystem.damageBlock(block, in: LogFixture.firstSegment) }
    let report = try Self.repair(fileSystem)
    #expect(report.repair?.gaps.count == 3)
    #expect(report.repair?.kept.count == 3)
    #expect(report.repair?.keptThrough == Int64(scene.feed.expected.count))
    try check(fileSystem, report, scene.feed.expected, "")
  }

  /// The records of a session whose opening is lost belong to nobody. Its id stays used, and its client can open another one.
  @Test func recordsOfASessionWhoseOpeningIsLostAreLostWithIt() throws {
    let scene = try SnapshotScene(FaultyFileSystem(), LogFixture.options())
    var builder = LogFixture.builder(scene.log)
    let ids = (1...2).map { SessionID(high: 7, low: $0) }
    func write(_ fill: (inout BlockBuilder) -> Void) throws {
      fill(&builder)
      let block = builder.finish(received: 5)
      try scene.log.writer.write(try #require(block))
    }
    func open(_ index: Int, _ builder: inout BlockBuilder) {
      let client = ClientID(user: 1, name: ClientName("c\(index)"))
      builder.append(Opening(client: client, time: 1, policy: .safari), of: ids[index])
    }
    func events(_ index: Int, _ builder: inout BlockBuilder, from number: Int64) {
      builder.beginRun(ids[index], firstNumber: number)
      for _ in 0..<3 { builder.append(Event(.scroll, time: 1)) }
      builder.endRun()
    }
    try write { open(0, &$0) }
    try write {
      open(1, &$0)
      events(0, &$0, from: 1)
    }
    try write {
      events(0, &$0, from: 4)
      events(1, &$0, from: 1)
    }
    try write { $0.append(Closing(time: 1, reason: .asked), of: ids[1]) }
    let fileSystem = scene.left
    fileSystem.damageBlock(2, in: LogFixture.firstSegment)
    let repair = try #require(try Self.repair(fileSystem).repair)
    #expect(repair.gaps == [2...5])
    #expect(repair.lostSessions == ids)
    let log = try LogFixture.open(fileSystem)
    let found = try LogFixture.readable(log)
    #expect(found.keys.sorted() == [1, 6, 7, 8])
    #expect(Array(log.projection.sessions.keys) == [ids[0]])
    #expect(log.projection.sessions[ids[0]]?.nextNumber == 7)
    #expect(Array(log.closedSessions.keys) == [ids[1]])
  }

  /// The generation that a repair begins must be none that the segment has had.
  @Test func theGenerationsThatStartMarksNameAreFound() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 4, seed: Self.seed, stopped: true)
    fileSystem.damageBlock(2, in: LogFixture.firstSegment)
    let repair = try #require(try Self.repair(fileSystem).repair)
    let generation = try #require(repair.generation)
    #expect(repair.keptThrough < Int64(expected.count) || !repair.gaps.isEmpty)
    // The mark of the repair, and that of the next start.
    let log = try LogFixture.open(fileSystem, LogFixture.options(boot: 4))
    let first = try #require(log.segments.firstPositions.last)
    let file = try fileSystem.openForReading(LogFixture.logPath + "/" + SegmentName.of(first))
    let header = try SegmentReading.header(of: file, firstPosition: first)
    var scanner = SegmentScanner(file, identifier: header.identifier)
    _ = try SegmentReading.checkpoint(&scanner, firstPosition: first)
    let blocks = try GoodBlocks(
      of: file, identifier: header.identifier, GoodBlocks.Extent(offset: scanner.offset, first: first))
    #expect(blocks.greatestGeneration == generation && generation > 1)
  }

  /// An empty file with a segment's name made a repair skip thousands of positions and drop the open sessions.
  @Test(arguments: [0, 40, 4000]) func aFileThatContinuesNothingIsSetAside(size: Int) throws {
    let log = try TwoSegments(seed: Self.seed)
    let stray = LogFixture.logPath + "/" + SegmentName.of(9_999)
    log.fileSystem[stray] = [UInt8](repeating: 3, count: size)
    let before = log.fileSystem.afterKill()
    #expect(throws: OpenError.self) { try LogFixture.open(log.fileSystem.afterKill()) }
    let planned = try Self.repair(log.fileSystem, isDryRun: true)
    #expect(planned.strays.map(\.file) == [stray])
    #expect(log.fileSystem.names(in: LogFixture.logPath) == before.names(in: LogFixture.logPath))
    let report = try Self.repair(log.fileSystem)
    #expect(report.strays == planned.strays)
    #expect(report.repair == nil)
    #expect(report.lines[0].hasPrefix("\(stray): this is no part of the log: "))
    let kept = try #require(log.fileSystem[report.strays[0].kept])
    #expect(kept.count == KeptBytes.headSize + size)
    let opened = try LogFixture.open(log.fileSystem)
    #expect(opened.nextPosition == Int64(log.expected.count) + 1)
    #expect(opened.generations.current == 1)
    #expect(try LogFixture.records(opened) == log.expected)
  }

  /// The last file is a part of the log, even if nothing is left of it.
  @Test func anEmptiedSegmentIsNoStray() throws {
    let log = try TwoSegments(seed: Self.seed)
    log.fileSystem[log.second] = []
    let report = try Self.repair(log.fileSystem)
    #expect(report.strays.isEmpty)
    #expect(report.repair?.head == .rebuilt && report.repair?.isCut == true)
    #expect(report.repair?.keptThrough == log.secondPosition - 1)
    try check(log.fileSystem, report, log.expected, "")
  }

  @Test func aDryRunChangesNothing() throws {
    let log = try TwoSegments(seed: Self.seed)
    log.fileSystem[log.second]?[Int(log.ends[1]) + BlockHeader.Offset.payload] ^= 1
    let fileSystem = log.fileSystem.afterKill()
    let planned = try Self.repair(fileSystem, isDryRun: true)
    let reading: [FileOperation] = [.open, .read, .size, .list, .lock, .create]
    #expect(fileSystem.operations.allSatisfy { reading.contains($0.operation) })
    #expect(fileSystem.names(in: LogFixture.logPath).count == 2)
    #expect(planned.lines.contains { $0.hasPrefix("Would set aside ") })
    var done = try Self.repair(fileSystem)
    done.isDryRun = true
    #expect(done == planned)
  }

  @Test func anOpenLogIsNotTouched() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    #expect(throws: OpenError.locked(path: "/state/lock")) { try Self.repair(fileSystem) }
    withExtendedLifetime(log.lock) {}
  }

  @Test func aSegmentOfANewerProgramIsNotTouched() throws {
    let (fileSystem, _, _) = try LogFixture.filled(blocks: 2, seed: Self.seed)
    var bytes = try #require(fileSystem[LogFixture.firstSegment])
    bytes[SegmentHeader.Offset.version] = UInt8(SegmentHeader.formatVersion + 1)
    let end = SegmentHeader.Offset.checksum
    let checksum = bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<end]), seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(end..<(end + $0.count), with: $0) }
    fileSystem[LogFixture.firstSegment] = bytes
    let error = try thrown(OpenError.self) { _ = try Self.repair(fileSystem) }
    guard case .damaged = error else {
      Issue.record(error)
      return
    }
    #expect(fileSystem[LogFixture.firstSegment] == bytes)
    #expect(fileSystem.names(in: LogFixture.logPath).count == 1)
  }

  /// If the previous segment is missing or damaged as well, it is unknown which sessions were open.
  @Test func aCheckpointThatCannotBeRebuiltIsLostWithItsSegment() throws {
    let log = try TwoSegments(seed: Self.seed)
    log.fileSystem[log.second]?[Int(log.ends[0]) - BlockHeader.trailerSize - 1] ^= 1
    let withDamage = log.fileSystem.afterKill()
    withDamage.damageBlock(4, in: LogFixture.firstSegment)
    let withoutFirst = log.fileSystem.afterKill()
    try withoutFirst.remove(LogFixture.firstSegment)
    for fileSystem in [withDamage, withoutFirst] {
      let first = fileSystem[LogFixture.firstSegment]
      let report = try Self.repair(fileSystem)
      let repair = try #require(report.repair)
      #expect(repair.head == .lost)
      #expect(repair.keptThrough == Int64(log.expected.count))
      #expect(!repair.isCut && repair.gaps.isEmpty && !repair.lostSessions.isEmpty)
      #expect(report.sealedRepairs.count == (first == nil ? 0 : 1))
      #expect(report.sealedDamage.isEmpty)
      let opened = try LogFixture.open(fileSystem)
      #expect(opened.nextPosition == repair.keptThrough + 1)
      #expect(opened.projection.sessions.values.allSatisfy { $0.openedPosition >= log.secondPosition })
      #expect(opened.generations.current == repair.generation)
      #expect(opened.generations.lastPosition(sharedWith: 1) == repair.keptThrough)
    }
  }

  @Test func damagedPartsAreNeverOverwritten() throws {
    let log = try TwoSegments(seed: Self.seed)
    for round in 1...3 {
      // The clock does not move, and the position is the same each time.
      log.fileSystem.damageBlock(0, in: log.second)
      #expect(try Self.repair(log.fileSystem).repair != nil)
      let kept = log.fileSystem.names(in: LogFixture.logPath).filter { $0.hasSuffix(".damaged") }
      #expect(kept.count == round)
    }
    #expect(try LogFixture.records(LogFixture.open(log.fileSystem)) == log.expected)
  }

  /// After a crash at each operation, with and without a power loss, the log is unchanged or repaired, and can be repaired.
  @Test func anInterruptedRepairCanBeRepeated() throws {
    var random = SeededGenerator.ofThisRun(31)
    for damagedByte in [SegmentHeader.Offset.identifier, SegmentHeader.size + BlockHeader.Offset.kind, -1] {
      let log = try TwoSegments(seed: Self.seed)
      let byte = damagedByte < 0 ? Int(log.ends[2]) + BlockHeader.Offset.payload : damagedByte
      log.fileSystem[log.second]?[byte] ^= 1
      let damaged = try #require(log.fileSystem[log.second])
      let complete = log.fileSystem.afterKill()
      let whole = try #require(try Self.repair(complete).repair)
      let count = complete.operations.count
      for index in 0..<count {
        let crashing = log.fileSystem.afterKill()
        crashing.crash(at: index)
        let place: Comment = "byte \(byte), operation \(index) of \(count)"
        #expect(throws: OpenError.self, place) { try Self.repair(crashing) }
        for found in [crashing.afterKill(), crashing.afterPowerLoss(&random), crashing.afterPowerLoss(&random)] {
          let isAsItWas = found[log.second] == damaged
          if isAsItWas {
            #expect(throws: OpenError.self, place) { try LogFixture.open(found.afterKill()) }
            let report = try Self.repair(found)
            #expect(report.repair?.keptThrough == whole.keptThrough, place)
            try check(found, report, log.expected, place)
          } else {
            let opened = try LogFixture.open(found)
            #expect(opened.projection.position == whole.keptThrough, place)
            #expect(opened.generations.current == whole.generation ?? 1, place)
          }
          let aside = Array(damaged[Int(whole.damage.offset)...].prefix(Int(whole.bytes)))
          let kept = found.names(in: LogFixture.logPath).filter { $0.hasSuffix(".damaged") }
          #expect(kept.contains { Array(found[LogFixture.logPath + "/" + $0]?[144...] ?? []) == aside }, place)
        }
      }
      #expect(count > 15)
    }
  }

  /// A repair that is killed right after its rename leaves a segment that needs no recovery, with a name that is not synced.
  /// The next start wrote to that file, and a power loss brought the old one back in its place.
  @Test func recordsWrittenAfterAnInterruptedRepairSurviveAPowerLoss() throws {
    let scene = try TwoSegments(seed: Self.seed)
    scene.fileSystem[scene.second]?[Int(scene.ends[1]) + BlockHeader.Offset.payload] ^= 1
    let complete = scene.fileSystem.afterKill()
    _ = try Self.repair(complete)
    let renaming = try #require(complete.operations.lastIndex { $0.operation == .rename })
    scene.fileSystem.crash(at: renaming + 1)
    #expect(throws: OpenError.self) { try Self.repair(scene.fileSystem) }
    let fileSystem = scene.fileSystem.afterKill()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    builder.append(
      Opening(client: ClientID(user: 9, name: "new"), time: 1, policy: .safari), of: SessionID(high: 5, low: 5))
    let block = builder.finish(received: 1)
    try log.writer.write(try #require(block))
    let expected = try LogFixture.readable(log, through: log.writer.status.written)
    #expect(expected[log.writer.status.written] != nil)
    var random = SeededGenerator.ofThisRun(5)
    let lost = fileSystem.afterPowerLoss(PowerLoss(.none, names: PowerLoss.Names.none), &random)
    #expect(try LogFixture.readable(try LogFixture.open(lost)) == expected)
  }

  /// A file that was put together by hand, or a disk that wrote a block twice.
  @Test func aBlockThatComesTwiceIsKeptOnce() throws {
    let log = try TwoSegments(seed: Self.seed, isStopped: false)
    let whole = try #require(log.fileSystem[log.second])
    let end = Int(log.ends[4])
    for block in 0..<4 {
      let fileSystem = log.fileSystem.afterKill()
      let copy = whole[Int(log.ends[block])..<Int(log.ends[block + 1])]
      fileSystem[log.second] = Array(whole[..<end]) + copy
      #expect(throws: OpenError.self, "block \(block)") { try LogFixture.open(fileSystem.afterKill()) }
      let report = try Self.repair(fileSystem)
      #expect(report.repair?.keptThrough == Int64(log.expected.count), "block \(block)")
      #expect(report.repair?.gaps == [], "block \(block)")
      let kept = try #require(keptBytes(fileSystem, report))
      #expect(Array(kept[KeptBytes.headSize...]) == Array(copy), "block \(block)")
      try check(fileSystem, report, log.expected, "block \(block)")
    }
  }

  /// A block whose content does not fit is cut off whole, and its effects on the fold are undone.
  @Test func aBlockThatDoesNotFollowIsCutWhole() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    let session = SessionID(high: 1, low: 1)
    builder.append(Opening(client: ClientID(user: 1, name: "a"), time: 1, policy: .safari), of: session)
    let opened = builder.finish(received: 1)
    try log.writer.write(try #require(opened))
    builder.append(Closing(time: 2, reason: .asked), of: session)
    builder.append(Closing(time: 2, reason: .asked), of: session)
    let closed = builder.finish(received: 2)
    try log.writer.write(try #require(closed))
    let after = fileSystem.afterKill()
    #expect(throws: OpenError.self) { try LogFixture.open(after.afterKill()) }
    let repair = try #require(try Self.repair(after).repair)
    #expect(repair.keptThrough == 1)
    #expect(repair.lostThrough == 3)
    #expect(repair.lostSessions == [session])
    let again = try LogFixture.open(after)
    #expect(Array(again.projection.sessions.keys) == [session])
    #expect(again.closedSessions.isEmpty)
  }
}
