import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Repairs of segments that others follow.
///
/// Once, a flipped bit hid everything behind it in such a segment, and no repair helped.
@Suite struct SealedRepairTests {
  private static func repair(_ fileSystem: FaultyFileSystem, isDryRun: Bool = false) throws -> RepairReport {
    try LogRepair.run(
      directory: LogFixture.directory, fileSystem: fileSystem, options: LogFixture.options(boot: 3), isDryRun: isDryRun)
  }

  private static func path(_ first: Position) -> String { LogFixture.logPath + "/" + SegmentName.of(first) }

  /// Returns where the blocks begin that hold records, with their positions.
  private static func blocks(
    _ scene: PackedScene, _ first: Position, isPacked: Bool
  ) throws -> [(offset: Int64, positions: Range<Position>)] {
    if isPacked {
      return try scene.packed(first).index.blocks.filter { $0.recordCount > 0 }
        .map { ($0.offset, $0.firstPosition..<$0.nextPosition) }
    }
    let file = try scene.fileSystem.openForReading(path(first))
    var scanner = SegmentScanner(file, identifier: try SegmentReading.header(of: file, firstPosition: first).identifier)
    var found: [(offset: Int64, positions: Range<Position>)] = []
    while case .block(let header, _, _) = try scanner.next() {
      if header.kind == .records {
        found.append((scanner.offset - Int64(header.length), header.firstPosition..<header.nextPosition))
      }
    }
    return found
  }

  /// Checks that a repaired log has everything but what was lost, and stays what it was otherwise.
  private static func check(
    _ fileSystem: FaultyFileSystem, _ report: RepairReport, _ scene: PackedScene, _ place: Comment
  ) throws {
    #expect(report.repair == nil && report.successor == nil && !report.isIncomplete, place)
    let gaps = report.sealedRepairs.flatMap(\.gaps)
    let lost = Set(report.sealedRepairs.flatMap(\.lostSessions))
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(found.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil }, place)
    #expect(found.filter(\.isGapRepaired).compactMap(\.gap) == gaps, place)
    let log = try LogFixture.open(fileSystem)
    #expect(log.notes.allSatisfy { if case .sealedDamage = $0 { false } else { true } }, place)
    #expect(log.generations == scene.log.generations, place)
    #expect(log.projection.checkpoint() == scene.log.projection.checkpoint(), place)
    let readable = try LogFixture.readable(log)
    for record in scene.feed.expected {
      if gaps.contains(where: { $0.contains(record.position) }) {
        #expect(readable[record.position] == nil, place)
      } else if readable[record.position] != record {
        #expect(readable[record.position] == nil && lost.contains(record.session), place)
      }
    }
    let named = lost.union(report.sealedRepairs.flatMap(\.uncertainSessions))
    var isOpeningKept: [SessionID: Bool] = [:]
    // With a bad head, nobody knows which sessions were open.
    for record in scene.feed.expected where report.sealedRepairs.allSatisfy({ $0.head != .lost }) {
      let isKept = readable[record.position] != nil
      let isTraceable = isOpeningKept[record.session] ?? isKept
      isOpeningKept[record.session] = isTraceable
      // Nothing counts a session's requests, so nothing may show that one is lost.
      guard case .event = record.record else { continue }
      #expect(isKept || !isTraceable || named.contains(record.session), place)
    }
    let again = try repair(fileSystem.afterKill())
    #expect(again.lines == ["Nothing to repair: a daemon can open the log in /state."], place)
  }

  @Test(arguments: [true, false]) func aBadBlockCostsOnlyItsOwnRecords(isPacked: Bool) throws {
    let scene = try PackedScene(isPacked: isPacked)
    for first in scene.sealed {
      let blocks = try Self.blocks(scene, first, isPacked: isPacked)
      #expect(blocks.count > 4)
      for (index, block) in blocks.enumerated() {
        let fileSystem = scene.fileSystem.afterKill()
        // In the header and in the payload.
        let byte = index % 2 == 0 ? BlockHeader.Offset.payload : BlockHeader.Offset.magic
        fileSystem[Self.path(first)]?[Int(block.offset) + byte] ^= 1
        let damaged = try #require(fileSystem[Self.path(first)])
        let place: Comment = "segment \(first), block \(index)"
        let report = try Self.repair(fileSystem)
        let repair = try #require(report.sealedRepairs.first, place)
        #expect(report.sealedRepairs.count == 1 && repair.isSealed && repair.generation == nil, place)
        #expect(repair.gaps == [block.positions.lowerBound...(block.positions.upperBound - 1)], place)
        #expect(report.lines.contains { $0.hasPrefix("Lost: position") }, place)
        // The bad bytes are kept.
        let kept = try #require(repair.kept.first.flatMap { fileSystem[$0] }, place)
        let aside = kept[KeptBytes.headSize...]
        #expect(Array(aside) == Array(damaged[Int(block.offset)...].prefix(aside.count)), place)
        try Self.check(fileSystem, report, scene, place)
        // The index names all of them.
        guard isPacked else { continue }
        let touched = scene.feed.expected.filter { block.positions.contains($0.position) }.map(\.session)
        #expect(Set(touched).isSubset(of: repair.lostSessions), place)
      }
    }
  }

  @Test(arguments: [true, false]) func severalBadBlocksInSeveralSegmentsAreGapsOfTheirOwn(isPacked: Bool) throws {
    let scene = try PackedScene(isPacked: isPacked)
    let fileSystem = scene.fileSystem.afterKill()
    var expected: [ClosedRange<Position>] = []
    for first in scene.sealed {
      let blocks = try Self.blocks(scene, first, isPacked: isPacked)
      for index in [0, 2, blocks.count - 1] {
        fileSystem[Self.path(first)]?[Int(blocks[index].offset) + BlockHeader.Offset.payload] ^= 1
        expected.append(blocks[index].positions.lowerBound...(blocks[index].positions.upperBound - 1))
      }
    }
    let report = try Self.repair(fileSystem)
    #expect(report.sealedRepairs.count == 3)
    #expect(report.sealedRepairs.flatMap(\.gaps).allSatisfy { gap in expected.contains { $0.overlaps(gap) } })
    #expect(report.sealedRepairs.flatMap(\.gaps).reduce(0) { $0 + $1.count } == expected.reduce(0) { $0 + $1.count })
    try Self.check(fileSystem, report, scene, "")
  }

  /// The head is rebuilt from the segment before; and what it does not show, the checkpoint of the next one does.
  @Test(arguments: [true, false]) func aBadHeadCostsNoRecord(isPacked: Bool) throws {
    let scene = try PackedScene(isPacked: isPacked)
    let identifier = SegmentHeader.Offset.identifier..<SegmentHeader.Offset.generation
    for first in scene.sealed {
      let checkpoint = try #require(scene.fileSystem.blockOffsets(in: Self.path(first)).first)
      let bytes = Array(stride(from: 0, to: SegmentHeader.size, by: 3)).filter { !identifier.contains($0) }
      for byte in bytes + [checkpoint, checkpoint + BlockHeader.Offset.payload] {
        let fileSystem = scene.fileSystem.afterKill()
        fileSystem[Self.path(first)]?[byte] ^= 1
        let place: Comment = "segment \(first), byte \(byte)"
        let report = try Self.repair(fileSystem)
        #expect(report.sealedRepairs.map(\.head) == [.rebuilt], place)
        #expect(report.sealedRepairs.flatMap(\.gaps).isEmpty, place)
        #expect(report.lines.contains("No record is lost."), place)
        try Self.check(fileSystem, report, scene, place)
        #expect(try LogFixture.readable(LogFixture.open(fileSystem)).count == scene.feed.expected.count, place)
      }
    }
  }

  /// The checksums of all blocks depend on the identifier, and the header's checksum finds only a single wrong bit.
  @Test func aSegmentWithoutAGoodBlockBecomesAGap() throws {
    let scene = try PackedScene()
    let (first, next) = (scene.sealed[1], scene.sealed[2])
    scene.fileSystem[Self.path(first)]?[SegmentHeader.Offset.identifier] ^= 3
    let fileSystem = scene.fileSystem.afterKill()
    let report = try Self.repair(fileSystem)
    #expect(report.sealedRepairs.flatMap(\.gaps) == [first...(next - 1)])
    try Self.check(fileSystem, report, scene, "")
  }

  /// Blocks are whole, but the last ones are gone.
  @Test func aSegmentThatEndsEarlyGetsAGapAtItsEnd() throws {
    let scene = try PackedScene(isPacked: false)
    let blocks = try Self.blocks(scene, 1, isPacked: false)
    let last = blocks[blocks.count - 2]
    let fileSystem = scene.fileSystem.afterKill()
    let count = fileSystem[LogFixture.firstSegment]?.count ?? 0
    fileSystem[LogFixture.firstSegment]?.removeLast(count - Int(last.offset))
    let report = try Self.repair(fileSystem)
    #expect(report.sealedRepairs.flatMap(\.gaps) == [last.positions.lowerBound...(scene.sealed[1] - 1)])
    try Self.check(fileSystem, report, scene, "")
  }

  @Test func sessionsCanBeForgottenAndSegmentsBePackedAfterARepair() throws {
    let scene = try PackedScene()
    let block = try Self.blocks(scene, 1, isPacked: true)[2]
    let fileSystem = scene.fileSystem.afterKill()
    fileSystem[LogFixture.firstSegment]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
    _ = try Self.repair(fileSystem)
    let log = try LogFixture.open(fileSystem, PackedScene.options)
    let session = try #require(scene.feed.expected.first).session
    let before = try LogFixture.readable(log)
    for first in log.segments.firstPositions.dropLast().reversed() {
      _ = try SegmentForgetting(
        directory: LogDirectory(path: LogFixture.directory, fileSystem: fileSystem), options: PackedScene.options,
        scope: .session(session), firstPosition: first
      ).run()
    }
    let left = try LogFixture.readable(LogFixture.open(fileSystem.afterKill(), PackedScene.options))
    // The last segment is not one of those that were rewritten.
    let last = try #require(log.segments.firstPositions.last)
    #expect(left == before.filter { $0.value.session != session || $0.key >= last })
    // Only the segment with the gap at its end has to stay unpacked.
    let gap = try #require(log.segments.firstPositions.dropFirst().first)
    guard case .packed(gap, .some) = log.upkeep.perform(.pack(gap)) else {
      Issue.record("the part behind the gap was not packed")
      return
    }
  }

  @Test func aDryRunChangesNothingAndReportsTheSame() throws {
    let scene = try PackedScene()
    let block = try Self.blocks(scene, 1, isPacked: true)[1]
    scene.fileSystem[LogFixture.firstSegment]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
    let fileSystem = scene.fileSystem.afterKill()
    let planned = try Self.repair(fileSystem, isDryRun: true)
    let reading: [FileOperation] = [.open, .read, .size, .list, .lock, .create]
    #expect(fileSystem.operations.allSatisfy { reading.contains($0.operation) })
    #expect(planned.lines.contains { $0.hasPrefix("Would set aside ") })
    var done = try Self.repair(fileSystem)
    done.isDryRun = true
    #expect(done == planned)
  }

  /// After a crash at each operation, with and without a power loss, a repair completes the work.
  @Test(arguments: [true, false]) func anInterruptedRepairCanBeRepeated(isPacked: Bool) throws {
    var random = SeededGenerator.ofThisRun(32)
    let scene = try PackedScene(isPacked: isPacked)
    let blocks = try Self.blocks(scene, scene.sealed[1], isPacked: isPacked)
    for index in [1, 3] {
      scene.fileSystem[Self.path(scene.sealed[1])]?[Int(blocks[index].offset) + BlockHeader.Offset.payload] ^= 1
    }
    let complete = scene.fileSystem.afterKill()
    let gaps = try Self.repair(complete).sealedRepairs.flatMap(\.gaps)
    let expected = try LogFixture.readable(LogFixture.open(complete.afterKill()))
    let count = complete.operations.count
    for index in 0..<count {
      let crashing = scene.fileSystem.afterKill()
      crashing.crash(at: index)
      let place: Comment = "operation \(index) of \(count)"
      _ = try? Self.repair(crashing)
      for found in [crashing.afterKill(), crashing.afterPowerLoss(&random)] {
        // A daemon may start before the repair is repeated.
        if index % 2 == 0 { _ = try LogFixture.open(found) }
        let left = found.afterKill()
        let report = try Self.repair(left)
        #expect(report.sealedRepairs.flatMap(\.gaps) == gaps || report.sealedRepairs.isEmpty, place)
        #expect(try LogFixture.readable(LogFixture.open(left)) == expected, place)
      }
    }
    #expect(count > 15)
  }

  // MARK: What a repair can't do

  /// A log of which a segment comes from another one, with the same positions.
  private static func mixed(foreign place: Int) throws -> (FaultyFileSystem, [Position]) {
    var logs: [(FaultyFileSystem, [Position])] = []
    for generation in [5, 77] as [Generation] {
      var options = LogFixture.options()
      options.firstGeneration = generation
      let fileSystem = FaultyFileSystem()
      let log = try LogFixture.open(fileSystem, options)
      var builder = LogFixture.builder(log)
      var observer = NoObserver()
      for index in 1...3 as ClosedRange<UInt64> {
        let client = ClientID(user: 1, name: ClientName("c\(index)"))
        builder.append(Opening(client: client, time: 1, policy: .safari), of: SessionID(high: 5, low: index))
        let finished = builder.finish(received: 1)
        let block = try #require(finished)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
        if index < 3 { try log.writer.roll(log.projection.checkpoint()) }
      }
      try log.writer.stop()
      let left = fileSystem.afterKill()
      logs.append((left, try LogDirectory(path: LogFixture.directory, fileSystem: left).segments()))
    }
    let (fileSystem, positions) = logs[0]
    fileSystem[path(positions[place])] = logs[1].0[path(positions[place])]
    return (fileSystem, positions)
  }

  /// A daemon started without a word, and served the other log's records as its own. A repair said that reads fail.
  @Test(arguments: 0..<3) func aSegmentOfAnotherLogStopsTheStartAndIsLeftAlone(place: Int) throws {
    let (fileSystem, positions) = try Self.mixed(foreign: place)
    let files = fileSystem.names(in: LogFixture.logPath)
    let before = files.map { fileSystem[LogFixture.logPath + "/" + $0] }
    let error = try thrown(OpenError.self) { _ = try LogFixture.open(fileSystem.afterKill()) }
    guard case .foreign(let damage) = error else {
      Issue.record(error)
      return
    }
    // If the last one is foreign, it differs from all others.
    #expect(damage.file == Self.path(positions[place == 1 ? 1 : 0]))
    #expect(error.description.contains(Self.path(positions[2])))
    #expect(error.description.hasSuffix("move the one that does not belong here out of the directory"))
    let report = try Self.repair(fileSystem)
    #expect(!report.foreign.isEmpty && report.isIncomplete)
    #expect(report.sealedRepairs.isEmpty && report.repair == nil && report.sealedDamage.isEmpty)
    #expect(report.lines.allSatisfy { $0.contains("Move the one that does not belong here out of /state/log") })
    #expect(files.map { fileSystem[LogFixture.logPath + "/" + $0] } == before)
  }

  /// Only what the rest of the log does not know can be foreign: a lost head keeps the generations.
  @Test func aRepairOfTheLastHeadKeepsTheGenerationsOfTheOthers() throws {
    let (fileSystem, positions) = try Self.mixed(foreign: 2)
    // Both are of the second log now.
    let (other, _) = try Self.mixed(foreign: 1)
    fileSystem[Self.path(positions[1])] = other[Self.path(positions[1])]
    fileSystem[LogFixture.firstSegment] = nil
    // The checkpoint of each is bad, so that the last one cannot be rebuilt.
    for first in positions[1...] { fileSystem.damageBlock(0, in: Self.path(first)) }
    let report = try Self.repair(fileSystem)
    #expect(report.repair != nil && report.foreign.isEmpty)
    let log = try LogFixture.open(fileSystem)
    #expect(log.generations.entries.first?.generation == 77)
  }

  /// The log needs the names, and no repair knows what is behind them.
  @Test func somethingElseInThePlaceOfAFileIsNamedWithTheFix() throws {
    for path in [LogFixture.firstSegment, LogFixture.directory + "/lock"] {
      var failure = FileError(.open, path: path, code: .isDirectory, kind: .directory)
      let isSegment = path == LogFixture.firstSegment
      #expect(
        OpenError.file(failure).description
          == "cannot open \(path): it is a directory, not a regular file; move it away"
          + (isSegment
            ? ", and put the log's file back in its place; without the file, its records are lost"
            : "; the daemon makes a new file"))
      #expect(OpenError.file(failure).isNoFile)
      failure.kind = nil
      #expect(!OpenError.file(failure).isNoFile)
    }
  }
}
