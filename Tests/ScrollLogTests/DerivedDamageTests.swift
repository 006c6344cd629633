import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Damage in sealed segments that costs no records.
@Suite struct DerivedDamageTests {
  /// A way to damage a sealed segment without harming its records.
  enum Break: CaseIterable {
    case flippedIndex, flippedPlace, cutEnd, garbageBehind, zerosBehind

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .flippedIndex: bytes[bytes.count - IndexPlace.blockSize - BlockHeader.trailerSize - 1] ^= 1
      case .flippedPlace: bytes[bytes.count - IndexPlace.blockSize + BlockHeader.Offset.syncedOffset] ^= 1
      case .cutEnd: bytes.removeLast(IndexPlace.blockSize + BlockHeader.trailerSize)
      case .garbageBehind: bytes += (0..<999).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
      case .zerosBehind: bytes += [UInt8](repeating: 0, count: 4096)
      }
    }
  }

  /// A packed log whose first segment is damaged, after a kill.
  private static func broken(_ scene: PackedScene, _ kind: Break) throws -> FaultyFileSystem {
    let fileSystem = scene.fileSystem.afterKill()
    var bytes = try #require(fileSystem[LogFixture.firstSegment])
    kind.apply(to: &bytes)
    fileSystem[LogFixture.firstSegment] = bytes
    return fileSystem
  }

  private static func verify(_ fileSystem: FaultyFileSystem, _ directory: String = LogFixture.directory) throws
    -> [SegmentVerification]
  {
    try LogVerification.verify(directory: directory, fileSystem: fileSystem)
  }

  private static func forget(_ scope: ForgetScope, _ first: Position, in fileSystem: FaultyFileSystem) throws
    -> ForgottenRecords
  {
    let forgetting = SegmentForgetting(
      directory: LogDirectory(path: LogFixture.directory, fileSystem: fileSystem), options: PackedScene.options,
      scope: scope, firstPosition: first)
    return try forgetting.run()
  }

  /// A session that has records in the first segment.
  private static func session(_ scene: PackedScene) throws -> SessionID {
    try #require(scene.feed.expected.first).session
  }

  @Test(arguments: Break.allCases) func sessionsCanBeForgottenDespiteABadIndex(kind: Break) throws {
    let scene = try PackedScene()
    let session = try Self.session(scene)
    let whole = scene.fileSystem.afterKill()
    let fileSystem = try Self.broken(scene, kind)
    let expected = try Self.forget(.session(session), 1, in: whole)
    #expect(expected.count > 0)
    #expect(try Self.forget(.session(session), 1, in: fileSystem).count == expected.count)
    #expect(try Self.verify(fileSystem)[0].problems.isEmpty)
    let records = try LogFixture.records(LogFixture.open(fileSystem))
    #expect(try records == LogFixture.records(LogFixture.open(whole)))
  }

  @Test func forgettingDropsBadBytesEvenIfItFindsNoRecords() throws {
    let scene = try PackedScene()
    let fileSystem = try Self.broken(scene, .garbageBehind)
    let found = try Self.forget(.session(SessionID(high: 0xF02, low: 9)), 1, in: fileSystem)
    #expect(found.count == 0)
    #expect(try Self.verify(fileSystem)[0].problems.isEmpty)
    try scene.check(fileSystem, "forgotten")
  }

  @Test func sessionsCanBeForgottenDespiteABadInnerCheckpoint() throws {
    let scene = try PackedScene()
    let inner = try #require(scene.packed(1).index.checkpoints.first)
    let fileSystem = scene.fileSystem.afterKill()
    fileSystem[LogFixture.firstSegment]?[Int(inner.offset) + BlockHeader.Offset.payload] ^= 1
    #expect(try Self.verify(fileSystem)[0].damage == .derived(isRebuilt: false))
    _ = try Self.forget(.session(try Self.session(scene)), 1, in: fileSystem)
    #expect(try Self.verify(fileSystem)[0].problems.isEmpty)
  }

  /// A scan of all blocks used to mistake the bad one for damage to records.
  @Test func aBadInnerCheckpointFailsNoRead() throws {
    let scene = try PackedScene()
    for inner in try scene.packed(1).index.checkpoints {
      let fileSystem = scene.fileSystem.afterKill()
      // In the header and in the payload.
      for byte in [BlockHeader.Offset.magic, BlockHeader.Offset.payload] {
        fileSystem[LogFixture.firstSegment]?[Int(inner.offset) + byte] ^= 1
        let log = try LogFixture.open(fileSystem.afterKill())
        #expect(try LogFixture.records(log) == scene.feed.expected)
      }
    }
  }

  @Test func forgettingFailsWhenDamageHidesRecords() throws {
    let scene = try PackedScene()
    let blocks = try scene.packed(1).index.blocks
    for block in [blocks[0], blocks[1], blocks[blocks.count - 1]] {
      for kind in [Break.flippedIndex, .garbageBehind] {
        let fileSystem = try Self.broken(scene, kind)
        fileSystem[LogFixture.firstSegment]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
        let before = fileSystem[LogFixture.firstSegment]
        let error = try thrown(ReadError.self) {
          _ = try Self.forget(.session(try Self.session(scene)), 1, in: fileSystem)
        }
        guard case .logDamaged(let damage) = error else {
          Issue.record(error)
          continue
        }
        #expect(damage.offset == block.offset)
        #expect(throws: PackingError.self) { try scene.packing(1, in: fileSystem).run() }
        #expect(fileSystem[LogFixture.firstSegment] == before)
        #expect(try Self.verify(fileSystem)[0].damage == .records)
      }
    }
  }

  @Test func sessionsCanBeForgottenDespiteGarbageAfterAnUnpackedSegment() throws {
    let scene = try PackedScene(isPacked: false)
    let fileSystem = try Self.broken(scene, .garbageBehind)
    #expect(try Self.verify(fileSystem)[0].damage == .derived(isRebuilt: true))
    let found = try Self.forget(.session(try Self.session(scene)), 1, in: fileSystem)
    #expect(found.count > 0)
    #expect(try Self.verify(fileSystem)[0].problems.isEmpty)
  }

  /// A start notes the bad index, and the next upkeep rebuilds it.
  @Test(arguments: Break.allCases) func aSegmentWithABadIndexIsPackedAgain(kind: Break) throws {
    let scene = try PackedScene()
    let fileSystem = try Self.broken(scene, kind)
    let found = try Self.verify(fileSystem)[0]
    #expect(found.damage == .derived(isRebuilt: true))
    #expect(found.reassurance != nil && !found.problems.isEmpty)
    let log = try LogFixture.open(fileSystem, PackedScene.options)
    #expect(log.notes.contains { if case .badIndex = $0 { true } else { false } })
    #expect(log.segments.nextUnpacked(except: []) == 1)
    guard case .packed(1, let bytes?) = log.upkeep.perform(.pack(1)) else {
      Issue.record("it was not packed")
      return
    }
    log.segments.markPacked(1, bytes: bytes)
    #expect(log.segments.nextUnpacked(except: []) == nil)
    try scene.check(fileSystem.afterKill(), "\(kind)")
  }

  @Test(arguments: Break.allCases) func aCopyWithAllRecordsIsNotDamaged(kind: Break) throws {
    let scene = try PackedScene()
    let fileSystem = try Self.broken(scene, kind)
    let report = try LogBackup(ofStopped: LogFixture.directory, fileSystem: fileSystem)
      .write(to: "/backup", options: LogFixture.options(boot: 4))
    #expect(!report.isDamaged)
    #expect(report.segments[0].reassurance != nil)
    #expect(report.records == scene.feed.expected.count)
  }

  @Test(arguments: Break.allCases) func aRepairReportsThatNoRecordIsLost(kind: Break) throws {
    let scene = try PackedScene()
    let fileSystem = try Self.broken(scene, kind)
    let report = try LogRepair.run(
      directory: LogFixture.directory, fileSystem: fileSystem, options: LogFixture.options(boot: 3), isDryRun: true)
    #expect(report.sealedDamage.isEmpty && !report.derivedDamage.isEmpty)
    #expect(report.lines.dropFirst().allSatisfy { $0.contains("No record is lost") })
  }

  /// A packed log of which only the first segment is left, damaged.
  private static func onlyFirst(_ scene: PackedScene, _ kind: Break) throws -> FaultyFileSystem {
    let fileSystem = try broken(scene, kind)
    for name in fileSystem.names(in: LogFixture.logPath) where name != SegmentName.of(1) {
      fileSystem[LogFixture.logPath + "/" + name] = nil
    }
    return fileSystem
  }

  /// Each of these used to fail the start, and no repair helped.
  @Test(arguments: Break.allCases) func aStartSucceedsOnAPackedLastSegmentWithABadIndex(kind: Break) throws {
    let scene = try PackedScene()
    let end = scene.sealed[1]
    let fileSystem = try Self.onlyFirst(scene, kind)
    // The segments after it are missing.
    #expect(try Self.verify(fileSystem)[0].damage == .records)
    #expect(try Self.verify(fileSystem)[0].unfinished == nil)
    let repair = try LogRepair.run(
      directory: LogFixture.directory, fileSystem: fileSystem, options: LogFixture.options(boot: 3))
    #expect(repair.repair == nil && repair.sealedDamage.isEmpty && !repair.derivedDamage.isEmpty)
    let log = try LogFixture.open(fileSystem)
    #expect(log.segments.firstPositions == [1, end])
    #expect(log.notes.contains { if case .newGeneration(_, end - 1, .lostSegments) = $0 { true } else { false } })
    #expect(log.notes.contains { if case .badIndex = $0 { true } else { false } })
    #expect(try LogFixture.records(log) == Array(scene.feed.expected.prefix { $0.position < end }))
    #expect(log.segments.nextUnpacked(except: []) == 1)
  }

  /// The start must not mistake an earlier block for the last one.
  @Test func aStartFailsOnAPackedLastSegmentWithMissingRecords() throws {
    // Behind a checkpoint within the segment, a start needs no record before it. Few random logs have one at the end.
    var seed = SeededGenerator.seed
    var scene = try PackedScene(seed: seed)
    while try scene.packed(1).index.endsWithCheckpoint {
      seed &+= 1
      scene = try PackedScene(seed: seed)
    }
    let last = try #require(scene.packed(1).index.blocks.last { $0.recordCount > 0 })
    for kind in Break.allCases {
      let fileSystem = try Self.onlyFirst(scene, kind)
      fileSystem[LogFixture.firstSegment]?[Int(last.offset) + BlockHeader.Offset.payload] ^= 1
      let error = try thrown(OpenError.self) { _ = try LogFixture.open(fileSystem) }
      guard case .damaged(let damage) = error else {
        Issue.record(error)
        continue
      }
      #expect(damage.offset == last.offset)
      #expect(try Self.verify(fileSystem)[0].damage == .records)
    }
  }

  /// Bad records in a packed last segment failed the start, and no repair helped. Behind them, a checkpoint shows how the
  /// sessions continue.
  @Test func aPackedLastSegmentWithBadRecordsIsFollowedByAnotherOne() throws {
    let scene = try PackedScene()
    let index = try scene.packed(1).index
    let end = scene.sealed[1]
    #expect(index.blocks.count > 4 && !index.checkpoints.isEmpty)
    let standing = try scene.log.segments.view.checkpoint(before: end)
    // A block of marks holds no record.
    for (place, block) in index.blocks.enumerated() where block.recordCount > 0 {
      let fileSystem = scene.fileSystem.afterKill()
      for name in fileSystem.names(in: LogFixture.logPath) where name != SegmentName.of(1) {
        fileSystem[LogFixture.logPath + "/" + name] = nil
      }
      fileSystem[LogFixture.firstSegment]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
      let isKnown = index.checkpoints.contains { $0.position >= block.nextPosition - 1 }
      if !isKnown {
        #expect(throws: OpenError.self) { try LogFixture.open(fileSystem.afterKill()) }
      }
      let planned = try Self.repair(fileSystem, isDryRun: true)
      #expect(fileSystem.names(in: LogFixture.logPath).count == 1)
      var done = try Self.repair(fileSystem)
      #expect(done.successor?.after == end - 1 && done.successor?.isUnsure == !isKnown)
      #expect(done.sealedRepairs.map(\.gaps) == [[block.firstPosition...(block.nextPosition - 1)]])
      done.isDryRun = true
      #expect(done == planned)
      let log = try LogFixture.open(fileSystem)
      #expect(log.nextPosition == end)
      #expect(log.generations.lastPosition(sharedWith: 1) == end - 1)
      if isKnown { #expect(log.projection.checkpoint().sessions == standing.sessions, "block \(place)") }
      let found = try LogFixture.readable(log)
      let lost = Set(done.sealedRepairs.flatMap(\.lostSessions))
      let kept = scene.feed.expected.prefix(Int(end) - 1).filter {
        $0.position < block.firstPosition || $0.position >= block.nextPosition && !lost.contains($0.session)
      }
      #expect(kept.allSatisfy { found[$0.position] == $0 })
    }
  }

  private static func repair(_ fileSystem: FaultyFileSystem, isDryRun: Bool = false) throws -> RepairReport {
    try LogRepair.run(
      directory: LogFixture.directory, fileSystem: fileSystem, options: LogFixture.options(boot: 3), isDryRun: isDryRun)
  }

  /// Such a segment would be packed again at each start.
  @Test func aSegmentThatEndsEarlyIsNotPacked() throws {
    let scene = try PackedScene(isPacked: false)
    let fileSystem = scene.fileSystem.afterKill()
    let file = try fileSystem.openForReading(LogFixture.firstSegment)
    var scanner = SegmentScanner(file, identifier: try SegmentReading.header(of: file, firstPosition: 1).identifier)
    _ = try SegmentReading.checkpoint(&scanner, firstPosition: 1)
    _ = try scanner.next()
    fileSystem[LogFixture.firstSegment]?.removeLast(
      try #require(fileSystem[LogFixture.firstSegment]).count - Int(scanner.offset))
    let before = fileSystem[LogFixture.firstSegment]
    #expect(throws: PackingError.self) { try scene.packing(1, in: fileSystem).run() }
    #expect(fileSystem[LogFixture.firstSegment] == before)
  }
}

extension PackedIndex {
  /// Whether a checkpoint within the segment has everything that its last records say.
  fileprivate var endsWithCheckpoint: Bool {
    // A block of marks holds no record.
    let last = blocks.last { $0.recordCount > 0 }
    return checkpoints.contains { $0.position + 1 >= last?.nextPosition ?? .max }
  }
}
