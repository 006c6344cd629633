import Platform
import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollLog

/// Packing sealed segments without changing their records.
@Suite struct PackingTests {
  /// The content of a block that packing must not change.
  private struct Content: Equatable {
    var kind: BlockKind
    var firstPosition: Position
    var recordCount: Int
    var received: Int64
    var payload: [UInt8]
  }

  private static func contents(_ fileSystem: FaultyFileSystem, _ first: Position) throws -> [Content] {
    let file = try fileSystem.openForReading(LogFixture.logPath + "/" + SegmentName.of(first))
    let header = try SegmentReading.header(of: file, firstPosition: first)
    var scanner = SegmentScanner(file, identifier: header.identifier)
    _ = try SegmentReading.checkpoint(&scanner, firstPosition: first)
    var found: [Content] = []
    var blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
    let positions = try LogDirectory(path: LogFixture.directory, fileSystem: fileSystem).positions(ofSealed: first)
    let passed = try blocks.readAll(of: positions) { header, view in
      // A packed segment needs none.
      if header.kind == .seal { return }
      let payload = view.bytes.withBytes(view.payload.lowerBound, view.payload.count) { [UInt8]($0) }
      found.append(
        Content(
          kind: header.kind, firstPosition: header.firstPosition, recordCount: header.recordCount,
          received: header.received, payload: payload))
    }
    #expect(passed == nil)
    return found
  }

  private static func allContents(_ scene: PackedScene) throws -> [[Content]] {
    try scene.sealed.map { try contents(scene.fileSystem, $0) }
  }

  @Test func packedBlocksUnpackByteForByte() throws {
    let scene = try PackedScene(isPacked: false)
    let before = try Self.allContents(scene)
    #expect(before.joined().contains { $0.kind == .start })
    #expect(before.joined().contains { $0.kind == .cleanStop })
    try scene.pack()
    #expect(try Self.allContents(scene) == before)
    #expect(try LogFixture.records(scene.log) == scene.feed.expected)
    let found = try scene.verify()
    #expect(found.allSatisfy { $0.problems.isEmpty })
    #expect(found.map(\.isPacked) == [true, true, true, false])
    #expect(found.reduce(0) { $0 + $1.records } == scene.feed.expected.count)
    // A second time there is nothing to do.
    let operations = scene.fileSystem.operations.count
    try scene.pack()
    let again = scene.fileSystem.operations[operations...]
    #expect(again.allSatisfy { [.open, .read, .size, .list, .syncDirectory, .remove].contains($0.operation) })
  }

  /// Recordings of browsers, and the recordings that the fold is tested with.
  @Test(arguments: [1, 8]) func allRecordingsUnpackByteForByte(eventsPerCommit: Int) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var observer = NoObserver()
    func commit(_ received: Int64, _ fill: (inout BlockBuilder) -> Void) throws {
      var builder = LogFixture.builder(log)
      fill(&builder)
      let finished = builder.finish(received: received)
      let block = try #require(finished)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
    }
    var count = 0
    for folder in ["recordings", "cases"] {
      for name in try Fixtures.names(in: folder) {
        let events = try Fixtures.recording(name, in: folder).events
        count += events.count
        let id = SessionID(high: 1, low: UInt64(count))
        let start = events.first?.time ?? 0
        let client = ClientID(user: 1000, name: "\(folder)/\(name)")
        try commit(start) { $0.append(Opening(client: client, time: start, policy: .safari), of: id) }
        for first in stride(from: 0, to: events.count, by: eventsPerCommit) {
          let part = events[first...].prefix(eventsPerCommit)
          try commit(part.last?.time ?? start) { builder in
            builder.beginRun(id, firstNumber: Int64(first) + 1)
            for event in part { builder.append(event) }
            builder.endRun()
          }
        }
      }
    }
    #expect(count > 2000)
    let before = log.writer.status.segmentBytes
    try log.writer.roll(log.projection.checkpoint())
    let contents = try Self.contents(fileSystem, 1)
    #expect(contents.count > count / eventsPerCommit)
    let packed = try log.upkeep.pack(1)
    #expect(try #require(packed) < before / 10)
    #expect(try Self.contents(fileSystem, 1) == contents)
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(found.allSatisfy { $0.problems.isEmpty })
  }

  /// A reader may begin at any position, even within a packed block.
  @Test func readersFindEveryPosition() throws {
    let scene = try PackedScene()
    let expected = scene.feed.expected
    let last = scene.log.nextPosition - 1
    for position in 0..<last {
      var reader = LogReader(scene.log.segments.view, after: position)
      guard case .block(let block) = try reader.next(through: last) else {
        Issue.record("position \(position): no block")
        continue
      }
      var records = block.records(after: position)
      #expect(try records.next() == expected[Int(position)])
    }
  }

  /// A fold from the nearest checkpoint gives the same state at any position as one from the start, and that checkpoint is near.
  @Test func aQueryAboutThePastStartsNearby() throws {
    let scene = try PackedScene()
    var starts: Set<Position> = []
    let whole = Projection(.empty)
    var observer = NoObserver()
    var reader = LogReader(scene.log.segments.view, after: 0)
    while case .block(let block) = try reader.next(through: scene.log.nextPosition - 1) {
      try whole.apply(block, observer: &observer)
      let checkpoint = try scene.log.segments.view.checkpoint(before: block.lastPosition + 1)
      let reading = try scene.log.segments.view.checkpointReading(before: block.lastPosition + 1)
      #expect(try reading.fold().position == checkpoint.position)
      starts.insert(checkpoint.position)
      let folded = Projection(checkpoint)
      var part = LogReader(scene.log.segments.view, after: checkpoint.position)
      while case .block(let block) = try part.next(through: block.lastPosition) {
        try folded.apply(block, observer: &observer)
      }
      #expect(folded.checkpoint() == whole.checkpoint())
    }
    #expect(starts.count > scene.sealed.count + 1)
  }

  @Test func theLogOpensAsBeforeAndReadsOnlyIndexes() throws {
    let scene = try PackedScene(isPacked: false)
    let unpacked = try LogFixture.open(scene.fileSystem.afterKill())
    try scene.pack()
    let left = scene.fileSystem.afterKill()
    let packed = try LogFixture.open(left)
    #expect(packed.closedSessions == unpacked.closedSessions)
    #expect(!packed.closedSessions.isEmpty)
    #expect(packed.projection.checkpoint() == unpacked.projection.checkpoint())
    #expect(packed.generations == unpacked.generations)
    #expect(packed.notes == unpacked.notes)
    // For each packed segment: its header, the last block up to the end of the file, and the index.
    let path = LogFixture.firstSegment
    #expect(left.operations.filter { $0.path == path && $0.operation == .read }.count <= 5)
  }

  /// Some segments are packed and others are not, as after the first start of a daemon that packs.
  @Test func packedAndUnpackedSegmentsMix() throws {
    for packed in [[0], [1], [0, 2], [1, 2]] {
      let scene = try PackedScene(isPacked: false)
      for index in packed { try scene.pack(scene.sealed[index]) }
      #expect(try scene.verify().map(\.isPacked) == (0..<4).map(packed.contains))
      #expect(try LogFixture.records(scene.log) == scene.feed.expected)
      try scene.check(scene.fileSystem.afterKill(), "\(packed)")
    }
  }

  /// A reader that has a segment open continues in the old file.
  @Test func openReadersContinueInTheOldFile() throws {
    let scene = try PackedScene(isPacked: false)
    let last = scene.log.nextPosition - 1
    var reader = LogReader(scene.log.segments.view, after: 0)
    var found: [StoredRecord] = []
    while true {
      guard case .block(let block) = try reader.next(through: last) else { break }
      var records = block.records()
      while let stored = try records.next() { found.append(stored) }
      try scene.pack()
    }
    #expect(found == scene.feed.expected)
  }

  @Test func aBadIndexCostsOnlyTime() throws {
    let scene = try PackedScene()
    let path = LogFixture.firstSegment
    let size = try #require(scene.fileSystem[path]?.count)
    let place = size - IndexPlace.blockSize
    for offset in [place + BlockHeader.Offset.syncedOffset, place - BlockHeader.trailerSize - 1] {
      let broken = scene.fileSystem.afterKill()
      broken[path]?[offset] ^= 1
      let log = try LogFixture.open(broken)
      let noted = log.notes.contains {
        if case .badIndex(let damage) = $0 { return damage.file == path && damage.offset > 0 }
        return false
      }
      #expect(noted)
      let records = try LogFixture.records(log)
      #expect(records == scene.feed.expected)
      #expect(Set(log.closedSessions.keys) == scene.closedSessions)
      let problems = try LogVerification.verify(directory: LogFixture.directory, fileSystem: broken).map(
        \.problems.count)
      #expect(problems[0] > 0)
      #expect(problems.dropFirst().allSatisfy { $0 == 0 })
    }
  }

  /// Each query used to decode the index again, which a user could make everybody else wait for.
  @Test func anIndexIsReadOnceForManyQueriesUntilItsSegmentChanges() throws {
    let scene = try PackedScene()
    let segments = scene.log.segments
    let index = try #require(try segments.view.packedSegment(1)).index
    let size = try #require(scene.fileSystem[LogFixture.firstSegment]?.count)
    scene.fileSystem[LogFixture.firstSegment]?[size - IndexPlace.blockSize + BlockHeader.Offset.payload] ^= 1
    let again = try #require(try segments.view.packedSegment(1)).index
    #expect(again.blocks == index.blocks && again.checkpoints == index.checkpoints)
    #expect(segments.recentIndexes.heldBytes == index.heldBytes)
    segments.resize(1, to: Int64(size))
    #expect(try segments.view.packedSegment(1) == nil)
    #expect(segments.recentIndexes.heldBytes == 0)
  }

  /// Each query about another segment decoded thousands of names in one go, while everybody else waited.
  @Test func readersOfAnIndexDecodeNoNamesUntilASearchExaminesThem() throws {
    let scene = try PackedScene()
    let index = try scene.packed(1).index
    var writer = ByteWriter(capacity: 4096)
    PackedIndexCoding.append(index, to: &writer)
    func reader() -> ByteReader { ByteReader(writer.bytes, from: 0, to: writer.count) }
    var good = reader()
    let outline = try IndexOutline(&good)
    #expect(good.isAtEnd && outline.blocks == index.blocks && outline.checkpoints == index.checkpoints)
    var examination = IndexOutline.Examination(outline)
    var found: [PackedIndex.Session] = []
    while !examination.isDone {
      let before = found.count
      try examination.examine(2) { id, client in
        found.append(PackedIndex.Session(id: id, client: client))
        return id == index.sessions[2].id
      }
      #expect(found.count - before <= 2)
    }
    #expect(found.map(\.id) == index.sessions.filter { $0.client != nil }.map(\.id))
    #expect(found.map(\.client) == index.sessions.compactMap(\.client))
    #expect(examination.isWanted == index.sessions.map { $0.client == nil || $0.id == index.sessions[2].id })
    // A name that is no text is found when it is needed.
    let name = try #require(index.sessions.firstIndex { $0.client != nil })
    #expect(name == 0)
    writer.store(0xFFFF_FFFF as UInt32, at: 4 + 16 + 1 + 4 + 4)
    var bad = reader()
    #expect(throws: ContentError.self) { try PackedIndexCoding.read(&bad) }
    bad = reader()
    var late = IndexOutline.Examination(try IndexOutline(&bad))
    #expect(throws: ContentError.self) { try late.examine(1) { _, _ in true } }
  }

  @Test func aRewrittenSegmentIsMeasuredAgain() throws {
    let scene = try PackedScene()
    let segments = scene.log.segments
    let limits = RetentionLimits(maximumUse: 1)
    func step() -> SegmentList.FairStep? {
      segments.fairStep(to: limits, activeBytes: 0, unpacked: 0, available: nil, present: []) { $0 }
    }
    let firsts = segments.firstPositions.dropLast()
    for first in firsts {
      #expect(step() == .measure(first))
      segments.setUse(first, try scene.log.upkeep.measure(first))
    }
    if case .measure? = step() { Issue.record("all are measured") }
    for first in firsts {
      segments.resize(first, to: 100)
      #expect(step() == .measure(first))
      segments.setUse(first, try scene.log.upkeep.measure(first))
    }
  }

  /// Uses fixed records, since not all records lead to two checkpoints before the end of the segment.
  @Test func aBadInnerCheckpointCostsOnlyTime() throws {
    let scene = try PackedScene(blocks: 20, seed: 2)
    let inner = try scene.packed(1).index.checkpoints.filter { $0.position + 1 < scene.sealed[1] }
    let last = try #require(inner.last)
    let before = try #require(inner.dropLast().last)
    #expect(try scene.log.segments.view.checkpoint(before: last.position + 1).position == last.position)
    scene.fileSystem[LogFixture.firstSegment]?[Int(last.offset) + BlockHeader.Offset.payload] ^= 1
    #expect(try scene.log.segments.view.checkpoint(before: last.position + 1).position == before.position)
    #expect(try LogFixture.records(scene.log) == scene.feed.expected)
    let problems = try scene.verify()[0].problems
    #expect(problems.map(\.offset) == [last.offset])
  }

  /// Only the reads that need the bad block fail.
  @Test func everythingAfterADamagedBlockCanBeRead() throws {
    let scene = try PackedScene()
    let block = try scene.packed(1).index.blocks[1]
    scene.fileSystem[LogFixture.firstSegment]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
    let last = scene.log.nextPosition - 1
    for position in 0..<last {
      var reader = LogReader(scene.log.segments.view, after: position)
      if position + 1 >= block.firstPosition, position + 1 < block.nextPosition {
        let error = try thrown(ReadError.self) { _ = try reader.next(through: last) }
        guard case .logDamaged(let damage) = error else {
          Issue.record(error)
          continue
        }
        #expect(damage.file == LogFixture.firstSegment)
        #expect(damage.offset == block.offset)
      } else {
        guard case .block(let view) = try reader.next(through: last) else {
          Issue.record("position \(position): no block")
          continue
        }
        var records = view.records(after: position)
        #expect(try records.next() == scene.feed.expected[Int(position)])
      }
    }
    let problems = try scene.verify()[0].problems
    #expect(problems.map(\.offset) == [block.offset])
  }

  /// Verification finds any wrong bit of a packed segment, and no reader gets a record that was not stored.
  @Test func aFlippedBitIsFound() throws {
    var random = SeededGenerator.ofThisRun(72)
    let scene = try PackedScene(blocks: 1, calls: 2)
    let path = LogFixture.firstSegment
    let good = try #require(scene.fileSystem[path])
    let segments = scene.log.segments
    let last = scene.sealed[1] - 1
    let expected = scene.feed.expected.filter { $0.position <= last }
    for bit in random.some(of: 8 * good.count, each: 7) {
      var bytes = good
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      scene.fileSystem[path] = bytes
      var check = SegmentCheck(segments.directory, firstPosition: 1, nextSegment: scene.sealed[1])
      try check.run()
      #expect(!check.found.problems.isEmpty, "bit \(bit)")
      do {
        let records = try LogFixture.records(segments, through: last)
        #expect(records == expected, "bit \(bit)")
      } catch {
        guard case .logDamaged(let damage) = error as? ReadError else {
          Issue.record(error, "bit \(bit)")
          continue
        }
        #expect(damage.file == path)
      }
    }
  }

  /// After a crash at any operation, the segment is either the old one or the new one.
  @Test func interruptedPackingLosesNothingAndCanBeRepeated() throws {
    var random = SeededGenerator.ofThisRun(71)
    let complete = try PackedScene(isPacked: false, blocks: 6)
    let before = complete.fileSystem.operations.count
    try complete.pack()
    let count = complete.fileSystem.operations.count - before
    var packed = 0
    for index in random.some(of: count, each: 4) {
      let scene = try PackedScene(isPacked: false, blocks: 6)
      scene.fileSystem.crash(at: index)
      let place: Comment = "operation \(index) of \(count)"
      #expect(throws: PackingError.self, place) { try scene.pack() }
      for found in [scene.fileSystem.afterKill(), scene.fileSystem.afterPowerLoss(&random)] {
        try scene.check(found.afterKill(), place)
        packed += try LogVerification.verify(directory: LogFixture.directory, fileSystem: found).filter(\.isPacked)
          .count
        for first in scene.sealed { _ = try scene.packing(first, in: found).run() }
        try scene.check(found.afterPowerLoss(&random), place)
      }
    }
    #expect(count > 20)
    #expect(packed > 0)
  }

  @Test(arguments: [Errno.noSpace, .inputOutput]) func aFailedPackingChangesNothingAndCanBeRepeated(
    code: Errno
  ) throws {
    let complete = try PackedScene(isPacked: false, blocks: 6)
    let before = complete.fileSystem.operations.count
    try complete.pack(1)
    let operations = Array(complete.fileSystem.operations[before...])
    let renaming = try #require(operations.firstIndex { $0.operation == .rename })
    for (index, operation) in operations.enumerated() {
      let scene = try PackedScene(isPacked: false, blocks: 6)
      let old = scene.fileSystem[LogFixture.firstSegment]
      scene.fileSystem.fail(index, with: code)
      let error = try thrown(PackingError.self) { try scene.pack(1) }
      #expect(error.isNoSpace == (code == .noSpace), "\(operation)")
      #expect(!scene.fileSystem.names(in: LogFixture.logPath).contains { $0.hasSuffix(".tmp") }, "\(operation)")
      let standing = scene.fileSystem[LogFixture.firstSegment]
      #expect((standing == old) == (index <= renaming), "\(operation)")
      if case .unsynced(let bytes, _) = error {
        #expect(index > renaming && bytes == standing.map { Int64($0.count) }, "\(operation)")
      } else {
        #expect(index <= renaming, "\(operation)")
      }
      #expect(try LogFixture.records(scene.log) == scene.feed.expected)
      try scene.pack()
      try scene.check(scene.fileSystem.afterKill(), "\(operation)")
    }
  }

  @Test func anUnreadableSegmentIsNotPacked() throws {
    let scene = try PackedScene(isPacked: false)
    scene.fileSystem.damageBlock(1, in: LogFixture.firstSegment)
    let before = scene.fileSystem[LogFixture.firstSegment]
    let error = try thrown(PackingError.self) { try scene.pack(1) }
    guard case .failed(.logDamaged(let damage)) = error else {
      Issue.record(error)
      return
    }
    #expect(damage.file == LogFixture.firstSegment)
    #expect(scene.fileSystem[LogFixture.firstSegment] == before)
    // A segment that retention has removed is not an error.
    scene.fileSystem[LogFixture.firstSegment] = nil
    #expect(try scene.packing(1).run() == nil)
  }

  /// The newest files of a log are missing, as in a copy made while the daemon was writing.
  @Test func aNewSegmentBeginsAfterAPackedLastSegment() throws {
    let scene = try PackedScene()
    let next = try #require(scene.log.segments.firstPositions.last)
    scene.fileSystem[LogFixture.logPath + "/" + SegmentName.of(next)] = nil
    let left = scene.fileSystem.afterKill()
    let repair = try LogRepair.run(
      directory: LogFixture.directory, fileSystem: left.afterKill(), options: PackedScene.options)
    #expect(repair.repair == nil)
    #expect(repair.sealedDamage.isEmpty)
    let log = try LogFixture.open(left, PackedScene.options)
    #expect(log.nextPosition == next)
    #expect(log.generations.current == PackedScene.options.now())
    #expect(log.notes.contains(.newGeneration(log.generations.current, after: next - 1, .lostSegments)))
    let expected = scene.feed.expected.filter { $0.position < next }
    #expect(try LogFixture.records(log) == expected)
    // It can be written to like any other.
    var builder = LogFixture.builder(log)
    builder.append(
      Opening(client: ClientID(user: 9, name: "new"), time: 1, policy: .safari), of: SessionID(high: 9, low: 9))
    let block = builder.finish(received: .max / 4)
    try log.writer.write(try #require(block))
    try log.writer.stop()
    let again = try LogFixture.open(left.afterKill(), PackedScene.options)
    #expect(again.nextPosition == next + 1)
    #expect(again.generations.current == log.generations.current)
  }
}
