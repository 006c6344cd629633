import ScrollModel

/// A reading of the blocks of a checkpoint in pieces, so that each takes about a millisecond at most.
struct CheckpointBlocks {
  /// A block whose payload is being decoded.
  private struct Part {
    var reader: ByteReader
    let isContinued: Bool
    let offset: Int64
  }

  /// How many bytes of a large block a step reads or decompresses, and how many bytes of a payload it decodes.
  static let bytesPerStep = 128 << 10
  /// How many sessions a step decodes at most.
  static let sessionsPerStep = 64

  private(set) var scanner: SegmentScanner
  private let firstPosition: Position
  private let kind: BlockKind
  private var assembly = CheckpointCoding.Assembly()
  private var large: LargeBlock?
  private var part: Part?

  /// Begins to read the checkpoint at a scanner's offset.
  ///
  /// - Parameters:
  ///   - firstPosition: the position after the checkpoint's.
  ///   - kind: ``BlockKind/checkpoint``, or ``BlockKind/innerCheckpoint`` within a packed segment.
  init(_ scanner: SegmentScanner, firstPosition: Position, kind: BlockKind) {
    self.scanner = scanner
    self.firstPosition = firstPosition
    self.kind = kind
  }

  /// How much memory the reading holds, in bytes.
  var heldBytes: Int {
    scanner.heldBytes + (large?.heldBytes ?? 0) + (part?.reader.bytes.capacity ?? 0) + assembly.heldBytes
  }

  /// Removes the sessions that were read since the last call, and returns them.
  mutating func takeSessions() -> [Checkpoint.Session] { assembly.takeSessions() }

  /// Reads the next piece.
  ///
  /// - Returns: the checkpoint, without the sessions that were taken, after its last piece; the scanner is then past it.
  /// - Throws: ``FileError`` or ``LogDamage``. The reading is over then.
  mutating func step() throws -> (Checkpoint, GenerationHistory)? {
    if var part {
      self.part = nil
      return try decode(&part)
    }
    if large != nil { return try readLarge() }
    if let header = try scanner.peek(), max(header.length, header.unpackedLength ?? 0) > 2 * Self.bytesPerStep {
      large = try LargeBlock(header, at: scanner)
      if large != nil { return try readLarge() }
    }
    return try readWhole()
  }

  private mutating func readLarge() throws -> (Checkpoint, GenerationHistory)? {
    guard let header = large?.header, let progress = try large?.step(Self.bytesPerStep) else { return nil }
    switch progress {
    case .more:
      return nil
    case .whole(let bytes):
      large = nil
      let offset = scanner.offset
      scanner.didRead(header)
      return try begin(header, bytes, at: 0, offset)
    case .bad:
      // The scanner knows what is wrong with it.
      large = nil
      return try readWhole()
    }
  }

  private mutating func readWhole() throws -> (Checkpoint, GenerationHistory)? {
    let offset = scanner.offset
    switch try scanner.next() {
    case .block(let header, let bytes, let at): return try begin(header, bytes, at: at, offset)
    case .end: throw damage(at: offset, "the segment's checkpoint is missing")
    case .bad(let problem): throw damage(at: offset, "\(problem)")
    }
  }

  private mutating func begin(
    _ header: BlockHeader, _ bytes: Bytes, at place: Int, _ offset: Int64
  ) throws -> (Checkpoint, GenerationHistory)? {
    guard header.kind == kind, header.firstPosition == firstPosition else {
      throw damage(at: offset, "the segment's checkpoint is incomplete")
    }
    var part = Part(
      reader: header.view(bytes, at: place).reader, isContinued: header.flags & BlockHeader.continues != 0,
      offset: offset)
    return try decode(&part)
  }

  private mutating func decode(_ part: inout Part) throws -> (Checkpoint, GenerationHistory)? {
    do throws(ContentError) {
      guard try assembly.add(&part.reader, atMost: Self.sessionsPerStep, bytes: Self.bytesPerStep) else {
        self.part = part
        return nil
      }
      if part.isContinued { return nil }
      let found = try assembly.finish()
      guard found.0.position == firstPosition - 1 else { throw ContentError.badCheckpoint }
      return found
    } catch {
      throw damage(at: part.offset, "\(error)")
    }
  }

  private func damage(at offset: Int64, _ reason: String) -> LogDamage {
    LogDamage(file: scanner.file.path, offset: offset, reason: reason)
  }
}
