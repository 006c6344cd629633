import ScrollModel

/// The writer of a packed segment: its head, packed blocks with checkpoints between them, and the index. The file has only a
/// temporary name while it is written.
///
/// The writer unpacks each packed block again, as a reader would, and compares the result.
struct PackedSegmentWriter: ~Copyable {
  private let sizes: PackingSizes
  private let file: any File
  private let identifier: UInt64
  private var writer = ByteWriter(capacity: 1 << 20)
  private var written: Int64 = 0
  private var fold: SegmentFold
  private var index: PackedIndexBuilder

  private var columns = ColumnPacker()
  /// The blocks of the next packed block, to compare them after unpacking.
  private var blocks: [(header: BlockHeader, at: Int)] = []
  private var originals = ByteWriter(capacity: 1 << 20)
  private var recordCount = 0

  private var sinceCheckpoint = 0
  private var checkpointDistance: Int

  /// Begins a packed segment in an empty file.
  init(
    to file: any File, _ header: SegmentHeader, _ checkpoint: Checkpoint, _ generations: GenerationHistory,
    _ options: LogOptions
  ) {
    self.file = file
    sizes = options.packing
    checkpointDistance = sizes.checkpointDistance
    identifier = header.identifier
    var header = header
    header.isPacked = true
    header.encode(into: &writer)
    CheckpointCoding.append(
      checkpoint, generations: generations, identifier: identifier, to: &writer, isPacked: true)
    fold = SegmentFold(
      checkpoint, generations, boot: header.boot, syncMode: header.syncMode, foldVersion: options.foldVersion)
    index = PackedIndexBuilder(checkpoint)
  }

  /// Where the next block goes.
  private var end: Int64 { written + Int64(writer.count) }

  /// The position after the last one appended.
  var nextPosition: Position { fold.projection.position + 1 }

  /// Appends the next group commit or mark.
  ///
  /// - Throws: ``FileError``; ``ContentError`` when it does not follow the previous one; ``PackingError``.
  mutating func append(_ header: BlockHeader, _ view: BlockView) throws {
    // A packed segment is sealed anyway.
    if header.kind == .seal { return }
    let isFull =
      originals.count + view.payload.count > sizes.block || recordCount + header.recordCount > sizes.blockRecords
    if isFull, !blocks.isEmpty { try endBlock() }
    try fold.take(header, view)
    try columns.append(header, view) { index.add($0, bytes: $1) }
    blocks.append((header, originals.count))
    originals.appendZeros(BlockHeader.size)
    view.bytes.withBytes(view.payload.lowerBound, view.payload.count) { originals.append($0) }
    recordCount += header.recordCount
  }

  /// Writes the rest, including the index.
  ///
  /// - Returns: the size of the file.
  consuming func finish() throws -> Int64 {
    if !blocks.isEmpty { try endBlock() }
    let place = end
    var header = header(.packedIndex)
    var payload = ByteWriter(capacity: 4096)
    PackedIndexCoding.append(index.index, to: &payload)
    guard payload.count <= BlockHeader.maximumUnpacked else { throw PackingError.tooLarge(fold.projection.position) }
    payload.bytes.withBytes(0, payload.count) {
      FramedBlock.appendPacked(header, $0, identifier: identifier, to: &writer)
    }
    header = self.header(.indexPlace)
    FramedBlock.append(header, identifier: identifier, to: &writer) { IndexPlace.append(place, to: &$0) }
    try flush()
    return written
  }

  private func header(_ kind: BlockKind) -> BlockHeader {
    BlockHeader(
      payloadLength: 0, kind: kind, recordCount: 0, firstPosition: fold.projection.position + 1,
      received: fold.projection.received, syncedTo: fold.projection.position, syncedOffset: end)
  }

  private mutating func endBlock() throws {
    let first = blocks[0].header
    let offset = end
    var header = header(.packed)
    header.firstPosition = first.firstPosition
    header.syncedTo = first.firstPosition - 1
    header.recordCount = recordCount
    header.received = blocks[blocks.count - 1].header.received
    let payload = columns.payload()
    guard max(payload.count, originals.count) <= BlockHeader.maximumUnpacked else {
      throw PackingError.tooLarge(first.firstPosition)
    }
    let start = writer.count
    payload.bytes.withBytes(0, payload.count) {
      FramedBlock.appendPacked(header, $0, identifier: identifier, to: &writer)
    }
    guard isUnpackable(at: start, offset) else { throw PackingError.differs(first.firstPosition) }
    index.end(header, at: offset, firstReceived: first.received)
    sinceCheckpoint += originals.count
    columns = ColumnPacker()
    blocks = []
    originals.truncate(to: 0)
    recordCount = 0
    if sinceCheckpoint >= checkpointDistance { appendCheckpoint() }
    try flush()
  }

  /// Returns whether the new packed block unpacks to the blocks that went into it.
  private func isUnpackable(at start: Int, _ offset: Int64) -> Bool {
    guard let header = BlockHeader.decode(writer.bytes, at: start, identifier: identifier),
      let count = header.unpackedLength
    else { return false }
    let unpacked = writer.bytes.withBytes(start + BlockHeader.size, header.payloadLength) {
      Compression.unpack($0, count: count, at: BlockHeader.size)
    }
    guard let unpacked,
      let found = try? ColumnUnpacker.unpack(header, header.view(unpacked, at: 0).reader, offset: offset),
      found.blocks.count == blocks.count, found.bytes.capacity >= originals.count
    else { return false }
    for (found, expected) in zip(found.blocks, blocks)
    where !found.header.holdsSame(as: expected.header) || found.at != expected.at {
      return false
    }
    return originals.bytes.withBytes(0, originals.count) { expected in
      found.bytes.withBytes(0, originals.count) { $0.elementsEqual(expected) }
    }
  }

  private mutating func appendCheckpoint() {
    let checkpoint = fold.projection.checkpoint()
    index.add(checkpoint, at: end)
    let size = CheckpointCoding.append(
      checkpoint, generations: fold.generations, identifier: identifier, to: &writer, origin: written,
      kind: .innerCheckpoint,
      isPacked: true)
    sinceCheckpoint = 0
    // With very many open sessions, checkpoints must not take more space than the records between them.
    checkpointDistance = max(sizes.checkpointDistance, 8 * size)
  }

  private mutating func flush() throws(FileError) {
    try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: written) }
    written += Int64(writer.count)
    writer.truncate(to: 0)
  }
}

extension BlockHeader {
  /// Returns whether another header describes the same records. What was synced when does not matter in a sealed segment.
  fileprivate func holdsSame(as other: BlockHeader) -> Bool {
    kind == other.kind && payloadLength == other.payloadLength && recordCount == other.recordCount
      && firstPosition == other.firstPosition && received == other.received
  }
}
