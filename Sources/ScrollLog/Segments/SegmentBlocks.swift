import ScrollModel

/// A cursor over the group commits and marks of a segment, packed or not.
///
/// In a packed segment it returns the blocks within each packed block one by one, and skips the derived ones, which are
/// inner checkpoints and the index. ``skip(before:)`` also skips the checkpoint at the segment's head.
struct SegmentBlocks {
  private var scanner: SegmentScanner
  private let isPacked: Bool
  private var unpacked = UnpackedBlocks(bytes: Bytes(capacity: 0), blocks: [])
  /// The index of the next block in `unpacked`.
  private var next = 0
  /// The offset of the packed block that `unpacked` comes from.
  private var unpackedOffset: Int64 = 0
  /// The position after the last block that was read or skipped; `nil` before the first one.
  private var nextPosition: Position?

  /// Creates a cursor that starts at a scanner's offset. Unless that is after the checkpoint, the blocks before the first
  /// position that matters have to be skipped.
  init(_ scanner: SegmentScanner, isPacked: Bool) {
    self.scanner = scanner
    self.isPacked = isPacked
  }

  var file: any File { scanner.file }

  /// The identifier of the segment's file.
  var identifier: UInt64 { scanner.identifier }

  /// How much memory the cursor holds, in bytes.
  var heldBytes: Int { unpacked.bytes.capacity + scanner.heldBytes }

  /// The offset of the next block, or of the packed block that holds it.
  var offset: Int64 { next < unpacked.blocks.count ? unpackedOffset : scanner.offset }

  /// Reads the next block. If no block is left, the cursor does not move.
  mutating func read() throws(FileError) -> SegmentScanner.Found {
    while true {
      if next < unpacked.blocks.count {
        let (header, at) = unpacked.blocks[next]
        next += 1
        nextPosition = header.nextPosition
        return .block(header, unpacked.bytes, at: at)
      }
      let offset = scanner.offset
      let found = try scanner.next()
      guard isPacked, case .block(let header, let bytes, let at) = found else { return found }
      switch header.kind {
      case .packed:
        do throws(ContentError) {
          unpacked = try ColumnUnpacker.unpack(header, header.view(bytes, at: at).reader, offset: offset)
        } catch {
          scanner.offset = offset
          return .bad(.badContent(error))
        }
        next = 0
        unpackedOffset = offset
      case .innerCheckpoint, .packedIndex, .indexPlace:
        break
      case .records, .start, .cleanStop, .seal, .checkpoint, .snapshotIndex:
        return found
      }
    }
  }

  /// Reads the next block, skipping bad bytes that held only derived blocks. If no block is left, the cursor does not move.
  mutating func readNext() throws(FileError) -> SegmentScanner.Found {
    while true {
      let found = try read()
      if case .block = found { return found }
      guard try skipDerived() else { return found }
    }
  }

  /// Skips bad bytes in a packed segment if the next good block continues with the next position. Then they were an inner
  /// checkpoint.
  private mutating func skipDerived() throws(FileError) -> Bool {
    guard isPacked, let nextPosition else { return false }
    var ahead = scanner
    guard try ahead.skipToNextBlock(), try ahead.peek()?.firstPosition == nextPosition else { return false }
    scanner = ahead
    return true
  }

  /// Skips the next block, or the packed block that holds it, if all of its records are before a position.
  ///
  /// - Returns: how many bytes of the file were skipped; `nil` if the block was not skipped.
  mutating func skip(before position: Position) throws(FileError) -> Int64? {
    if next < unpacked.blocks.count {
      guard unpacked.blocks[next].header.isBefore(position) else { return nil }
      next += 1
      return 0
    }
    var header = try scanner.peek()
    if header == nil, try skipDerived() { header = try scanner.peek() }
    guard let header, header.isBefore(position) else { return nil }
    scanner.skip(header)
    nextPosition = header.nextPosition
    return Int64(header.length)
  }

  /// Reads all blocks of a sealed segment, to rewrite it. Bad bytes that held no records are skipped: those after
  /// the last record and, in a packed segment, those between blocks with consecutive positions.
  ///
  /// - Parameter positions: the positions that the segment has to hold.
  /// - Returns: the first damage that was skipped, if any.
  /// - Throws: ``FileError``; ``LogDamage`` when bad bytes hide a position, or when `body` rejects a block's content.
  @discardableResult
  mutating func readAll(
    of positions: Range<Position>, _ body: (BlockHeader, BlockView) throws -> Void
  ) throws -> LogDamage? {
    var next = positions.lowerBound
    var skipped: LogDamage?
    while true {
      let start = offset
      let problem: LogDamage
      switch try read() {
      case .block(let header, let bytes, let at):
        // After bad bytes, even a good block may be at the wrong position.
        if let skipped, header.firstPosition != next { return try skipped.unless(next >= positions.upperBound) }
        next = header.nextPosition
        do {
          try body(header, header.view(bytes, at: at))
        } catch let error as ContentError {
          throw LogDamage(file: file.path, offset: start, reason: "\(error)")
        }
        continue
      case .end:
        if try SegmentReading.lastNonZero(in: file, from: offset) == nil {
          return try skipped?.unless(next >= positions.upperBound)
        }
        // Not `start`, since derived blocks may have been skipped.
        problem = LogDamage(file: file.path, offset: offset, reason: "a block is missing here")
      case .bad(let found): problem = LogDamage(file: file.path, offset: offset, reason: "\(found)")
      }
      let first = skipped ?? problem
      skipped = first
      // In a segment that is not packed, the bad bytes may hide a mark between its records.
      guard isPacked, try scanner.skipToNextBlock() else { return try first.unless(next >= positions.upperBound) }
    }
  }

  /// Reads the block that holds a position, after all blocks before it were skipped.
  ///
  /// - Throws: ``FileError``; ``LogDamage`` when the next block is a different one.
  mutating func block(holding position: Position) throws -> BlockView {
    let start = offset
    func damage(_ reason: String) -> LogDamage { LogDamage(file: file.path, offset: start, reason: reason) }
    repeat {
      switch try readNext() {
      case .block(let header, let bytes, let at):
        if header.firstPosition > position {
          throw damage("\(ContentError.positionGap(expected: position, found: header.firstPosition))")
        }
        if header.nextPosition > position { return header.view(bytes, at: at) }
      case .end: throw damage("a block is missing here")
      case .bad(let problem): throw damage("\(problem)")
      }
    } while next < unpacked.blocks.count
    throw damage("the block of position \(position) is missing here")
  }
}

extension LogDamage {
  /// Returns the damage if it hides nothing; otherwise throws it.
  fileprivate func unless(_ hidesNothing: Bool) throws -> LogDamage {
    if !hidesNothing { throw self }
    return self
  }
}

extension BlockHeader {
  /// Returns whether the block holds no records at or after a position.
  fileprivate func isBefore(_ position: Position) -> Bool {
    kind != .records && kind != .packed || nextPosition <= position
  }
}
