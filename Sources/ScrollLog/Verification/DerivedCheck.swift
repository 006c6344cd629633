import ScrollModel

/// A check of the inner checkpoints and the index of a packed segment against its head and its packed blocks.
struct DerivedCheck {
  let header: SegmentHeader
  private let checkpoint: Checkpoint
  private let generations: GenerationHistory
  private var builder: PackedIndexBuilder
  /// The fold over the blocks so far; `nil` after bad bytes.
  private var fold: SegmentFold?
  /// The checkpoint that is being read.
  private var inner: (offset: Int64, assembly: CheckpointCoding.Assembly)?

  init(_ header: SegmentHeader, _ checkpoint: Checkpoint, _ generations: GenerationHistory) {
    self.header = header
    self.checkpoint = checkpoint
    self.generations = generations
    builder = PackedIndexBuilder(checkpoint)
    fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
  }

  /// Stops folding, since bytes are bad and what follows them cannot be folded.
  mutating func loseTrack() { fold = nil }

  /// Adds a packed block whose blocks are good.
  mutating func add(_ packed: BlockHeader, _ unpacked: UnpackedBlocks, at offset: Int64) throws(ContentError) {
    for (block, at) in unpacked.blocks {
      let view = block.view(unpacked.bytes, at: at)
      try fold?.take(block, view)
      guard block.kind == .records else { continue }
      var reader = view.reader
      while !reader.isAtEnd {
        let start = reader.offset
        let entry = try EntryCoding.read(&reader)
        if case .run(_, _, let count) = entry { for _ in 0..<count { try EventCoding.skip(&reader) } }
        builder.add(entry, bytes: reader.offset - start)
      }
    }
    builder.end(packed, at: offset, firstReceived: unpacked.blocks.first?.header.received ?? packed.received)
  }

  /// Adds a block of an inner checkpoint. The complete checkpoint has to equal the fold.
  mutating func addCheckpoint(_ header: BlockHeader, _ view: BlockView, at offset: Int64) throws(ContentError) {
    var (start, assembly) = inner ?? (offset, CheckpointCoding.Assembly())
    inner = nil
    try assembly.add(view.reader)
    if header.flags & BlockHeader.continues != 0 {
      inner = (start, assembly)
      return
    }
    let (found, generations) = try assembly.finish()
    builder.add(found, at: start)
    guard let fold else { return }
    guard found.position == fold.projection.position else {
      throw .positionGap(expected: fold.projection.position, found: found.position)
    }
    // Another version of the fold may compute other states, and nothing uses such a checkpoint.
    guard found.foldVersion == Policy.foldVersion else { return }
    var expected = fold.projection.checkpoint()
    // Earlier programs did not remember turns.
    for (index, session) in found.sessions.enumerated() where session.turn == nil && index < expected.sessions.count {
      expected.sessions[index].turn = nil
    }
    guard Self.bytes(found, generations) == Self.bytes(expected, fold.generations) else {
      throw .differingCheckpoint(found.position)
    }
  }

  /// Returns what is wrong with the index, if anything.
  ///
  /// - Parameter isWhole: whether all blocks are good; otherwise the index is read, but not compared.
  func indexProblem(of file: any File, isWhole: Bool) throws(FileError) -> SegmentVerification.Problem? {
    do {
      let index = try PackedSegment(file, header).index
      if !isWhole || index.agrees(with: builder.index) { return nil }
      return SegmentVerification.Problem(
        offset: try file.size() - Int64(IndexPlace.blockSize),
        reason: "the packed segment's index does not match its blocks")
    } catch let error as FileError {
      throw error
    } catch let damage as LogDamage {
      return SegmentVerification.Problem(offset: damage.offset, reason: damage.reason)
    } catch {
      return SegmentVerification.Problem(offset: 0, reason: "\(error)")
    }
  }

  /// Returns the bytes of a checkpoint. States cannot be compared directly, since one with a NaN does not equal itself.
  private static func bytes(_ checkpoint: Checkpoint, _ generations: GenerationHistory) -> [UInt8] {
    var writer = ByteWriter(capacity: 4096)
    CheckpointCoding.append(checkpoint, generations: generations, identifier: 0, to: &writer)
    return writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
  }
}
