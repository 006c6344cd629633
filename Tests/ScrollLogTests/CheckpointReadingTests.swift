import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Reading large checkpoints in pieces.
@Suite struct CheckpointReadingTests {
  /// A log of two segments. At the head of the second one are many open sessions.
  private struct Scene {
    static let sessions = 2000

    let fileSystem = FaultyFileSystem()
    let log: OpenedLog
    let second: Position

    var path: String { LogFixture.logPath + "/" + SegmentName.of(second) }

    init() throws {
      log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var observer = NoObserver()
      for index in 0..<Self.sessions {
        let name = "client \(index)"
        let title = name + String(repeating: "t", count: 400)
        builder.append(
          Opening(client: ClientID(user: 1000, name: name), time: 1, title: title, policy: .safari),
          of: SessionID(high: 1, low: UInt64(index) + 1))
        guard index % 500 == 499 else { continue }
        let finished = builder.finish(received: 1)
        let block = try #require(finished)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
      }
      second = log.projection.position + 1
      try log.writer.roll(log.projection.checkpoint())
      log.segments.add(log.writer.status.segment)
    }
  }

  @Test func aStepReadsABoundedPartOfALargeCheckpoint() throws {
    let scene = try Scene()
    #expect(try #require(scene.fileSystem[scene.path]).count > 1 << 20)
    let reading = try scene.log.segments.view.checkpointReading(before: scene.second)
    var steps = 0
    var found: Projection?
    while found == nil {
      let read = scene.fileSystem.bytesRead(of: scene.path)
      let held = reading.heldBytes
      found = try reading.step()
      steps += 1
      // A window at a block's beginning, and another one if the block ends after it.
      #expect(scene.fileSystem.bytesRead(of: scene.path) - read <= 2 * (256 << 10))
      #expect(reading.heldBytes - held < 1 << 20)
    }
    #expect(steps >= Scene.sessions / CheckpointBlocks.sessionsPerStep)
    let fold = try #require(found)
    let whole = try scene.log.segments.view.checkpoint(before: scene.second)
    #expect(fold.sessions.count == Scene.sessions)
    #expect(fold.checkpoint() == Projection(whole) { _, _ in true }.checkpoint())
    #expect(whole == scene.log.projection.checkpoint())
    #expect(reading.otherVersion == nil)
  }

  /// Earlier programs wrote blocks of up to 16 MiB.
  @Test(arguments: [false, true]) func aLargeBlockIsReadInPieces(isPacked: Bool) throws {
    let scene = try Scene()
    let checkpoint = scene.log.projection.checkpoint()
    var writer = ByteWriter(capacity: 64)
    let size = CheckpointCoding.append(
      checkpoint, generations: GenerationHistory(), identifier: 77, to: &writer, isPacked: isPacked,
      blockLimit: 16 << 20)
    let path = "/checkpoint"
    let bytes = writer.bytes.withBytes(0, writer.count) { Array($0) }
    let fileSystem = scene.fileSystem
    fileSystem[path] = bytes
    func begin() throws -> CheckpointBlocks {
      let scanner = SegmentScanner(try fileSystem.openForReading(path), identifier: 77, offset: 0)
      return CheckpointBlocks(scanner, firstPosition: checkpoint.position + 1, kind: .checkpoint)
    }
    var blocks = try begin()
    var found: (Checkpoint, GenerationHistory)?
    var steps = 0
    while found == nil {
      let read = fileSystem.bytesRead(of: path)
      found = try blocks.step()
      steps += 1
      #expect(fileSystem.bytesRead(of: path) - read <= 256 << 10 + CheckpointBlocks.bytesPerStep)
    }
    #expect(found?.0 == checkpoint)
    #expect(blocks.scanner.offset == Int64(bytes.count))
    #expect(
      steps >= size / CheckpointBlocks.bytesPerStep + Scene.sessions / CheckpointBlocks.sessionsPerStep)

    fileSystem[path]?[bytes.count / 2] ^= 1
    var bad = try begin()
    let damage = try thrown(LogDamage.self) { while try bad.step() == nil {} }
    #expect(damage == LogDamage(file: path, offset: 0, reason: "the block's checksum is wrong"))
    fileSystem[path] = Array(bytes.dropLast(8))
    var cut = try begin()
    #expect(throws: LogDamage.self) { while try cut.step() == nil {} }
  }

  @Test func aDamagedHeadIsAnErrorOfEachAttempt() throws {
    let scene = try Scene()
    let offsets = scene.fileSystem.blockOffsets(in: scene.path)
    try #require(offsets.count > 3)
    scene.fileSystem.damageBlock(2, in: scene.path)
    let reading = try scene.log.segments.view.checkpointReading(before: scene.second)
    let expected = ReadError.logDamaged(
      LogDamage(file: scene.path, offset: Int64(offsets[2]), reason: "the block's checksum is wrong"))
    for _ in 0..<2 { #expect(throws: expected) { _ = try reading.fold() } }
    #expect(throws: expected) { _ = try scene.log.segments.view.checkpoint(before: scene.second) }
  }

  /// Its records are read all the same: nothing in them depends on the head.
  @Test func aReaderSkipsAHeadWithoutReadingIt() throws {
    let scene = try Scene()
    var builder = LogFixture.builder(scene.log)
    builder.append(Closing(time: 2, reason: .asked), of: SessionID(high: 1, low: 1))
    let finished = builder.finish(received: 2)
    try scene.log.writer.write(try #require(finished))
    scene.fileSystem.damageBlock(1, in: scene.path)
    var reader = LogReader(scene.log.segments.view, after: scene.second - 1)
    guard case .block(let block) = try reader.next(through: scene.second) else {
      Issue.record("no block")
      return
    }
    #expect(block.firstPosition == scene.second)
  }

  @Test func readingsOfTheSameCheckpointAreTheSame() throws {
    let scene = try PackedScene(blocks: 20, seed: 2)
    let view = scene.log.segments.view
    let inner = try #require(try scene.packed(1).index.checkpoints.first)
    let first = try view.checkpointReading(before: inner.position + 1)
    #expect(first.isSame(as: try view.checkpointReading(before: inner.position + 1)))
    #expect(!first.isSame(as: try view.checkpointReading(before: 1)))
    #expect(try first.fold().position == inner.position)
    #expect(try first.fold() === first.fold())
  }

  /// The new file may lack records of sessions that the old one's checkpoint has.
  @Test func aSegmentThatIsRewrittenMeanwhileIsNoticed() throws {
    let scene = try PackedScene(isPacked: false)
    let view = scene.log.segments.view
    let second = scene.sealed[1]
    let reading = try view.checkpointReading(before: second)
    var reader = LogReader(view, after: second - 1)
    #expect(try reader.open() == reading.identifier)
    try scene.pack(second)
    let fold = try reading.fold()
    #expect(fold.position == second - 1)
    // A reader keeps to the file that it opened, and another one finds the new file.
    #expect(try reader.open() == reading.identifier)
    var other = LogReader(view, after: fold.position)
    #expect(try other.open() != reading.identifier)
    #expect(!reading.isSame(as: try view.checkpointReading(before: second)))
  }

  @Test func aSegmentThatIsRemovedMeanwhileIsNoticed() throws {
    let scene = try Scene()
    let view = scene.log.segments.view
    let reading = try view.checkpointReading(before: 1)
    let trimmed = scene.log.segments.trim(to: Self.nothing, activeBytes: 1 << 20, available: nil, now: 0)
    #expect(trimmed.count == 1)
    let fold = try reading.fold()
    var reader = LogReader(view, after: fold.position)
    #expect(throws: ReadError.positionTrimmed(first: scene.second)) { _ = try reader.open() }
    #expect(throws: ReadError.positionTrimmed(first: scene.second)) { _ = try view.checkpointReading(before: 1) }
  }

  private static var nothing: RetentionLimits {
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    return limits
  }
}
