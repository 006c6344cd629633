import ScrollModel

/// A segment that is being rewritten: a head, blocks of the old file, marks. The file is synced before it gets its name, and
/// the blocks' headers say so.
struct SegmentCopy: ~Copyable {
  private static let chunk = 1 << 20

  private let file: any File
  private let identifier: UInt64
  private var writer = ByteWriter(capacity: chunk)
  private var written: Int64 = 0

  /// Begins a copy in an empty file, with a header of its own.
  init(to file: any File, _ header: SegmentHeader) {
    self.file = file
    identifier = header.identifier
    header.encode(into: &writer)
  }

  /// Where the next block goes.
  private var end: Int64 { written + Int64(writer.count) }

  /// Appends a checkpoint.
  mutating func append(_ checkpoint: Checkpoint, _ generations: GenerationHistory) {
    CheckpointCoding.append(
      checkpoint, generations: generations, identifier: identifier, to: &writer, origin: written)
  }

  /// Appends the blocks between two offsets of another file, all of which have been read before.
  mutating func append(_ range: Range<Int64>, of source: any File, identifier: UInt64) throws(FileError) {
    var scanner = SegmentScanner(source, identifier: identifier, offset: range.lowerBound)
    while scanner.offset < range.upperBound {
      guard case .block(let block, let bytes, let at) = try scanner.next() else {
        throw FileError(.read, path: source.path, code: .inputOutput)
      }
      try append(block, bytes, at + BlockHeader.size, block.payloadLength)
    }
  }

  /// Appends a block of records or a mark.
  mutating func append(_ block: BlockHeader, _ view: BlockView) throws(FileError) {
    try append(block, view.bytes, view.payload.lowerBound, view.payload.count)
  }

  private mutating func append(
    _ block: BlockHeader, _ payload: Bytes, _ offset: Int, _ count: Int
  ) throws(FileError) {
    var framed = block
    framed.syncedTo = block.firstPosition - 1
    framed.syncedOffset = end
    FramedBlock.append(framed, identifier: identifier, to: &writer) { writer in
      payload.withBytes(offset, count) { writer.append($0) }
    }
    if writer.count >= Self.chunk { try flush() }
  }

  /// Appends a mark after a position: a start mark, or `nil` for the mark of a clean shutdown.
  mutating func append(_ mark: StartMark?, after position: Position, received: Int64) {
    let header = BlockHeader(
      payloadLength: 0, kind: mark == nil ? .cleanStop : .start, recordCount: 0, firstPosition: position + 1,
      received: received, syncedTo: position, syncedOffset: end)
    FramedBlock.append(header, identifier: identifier, to: &writer) { mark?.encode(into: &$0) }
  }

  /// Appends the seal of the segment, after a position.
  mutating func append(_ seal: SegmentSeal, after position: Position, received: Int64) {
    seal.append(after: position, received: received, end: end, identifier: identifier, to: &writer)
  }

  /// Writes the rest.
  ///
  /// - Returns: the size of the file.
  consuming func finish() throws(FileError) -> Int64 {
    try flush()
    return written
  }

  private mutating func flush() throws(FileError) {
    try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: written) }
    written += Int64(writer.count)
    writer.truncate(to: 0)
  }
}
