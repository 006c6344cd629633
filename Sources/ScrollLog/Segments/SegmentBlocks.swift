import ScrollModel

/// Goes over the group commits and marks of one segment in order, whether it is packed or not.
///
/// Of a packed segment the blocks within each packed block come one after the other, and what is told from them, inner
/// checkpoints and the index, is passed over.
struct SegmentBlocks {
  private var scanner: SegmentScanner
  private let isPacked: Bool
  private var unpacked = UnpackedBlocks(bytes: Bytes(capacity: 0), blocks: [])
  /// The next of the blocks in `unpacked`.
  private var next = 0
  /// Where the packed block stands that `unpacked` is from.
  private var unpackedOffset: Int64 = 0
  /// The position behind the last block that was read or passed over; `nil` before the first one.
  private var nextPosition: Position?

  /// The blocks from a scanner's place on, which is behind the checkpoint.
  init(_ scanner: SegmentScanner, isPacked: Bool) {
    self.scanner = scanner
    self.isPacked = isPacked
  }

  var file: any File { scanner.file }

  /// Where in the file the next block stands, or the packed one that holds it.
  var offset: Int64 { next < unpacked.blocks.count ? unpackedOffset : scanner.offset }

  /// Reads the next block. At anything but a block it stays where it is.
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
      case .records, .start, .cleanStop, .checkpoint, .snapshotIndex:
        return found
      }
    }
  }

  /// Reads the next block, passing over what is bad and derived. At anything else but a block it stays where it is.
  mutating func readOn() throws(FileError) -> SegmentScanner.Found {
    while true {
      let found = try read()
      if case .block = found { return found }
      guard try passOverDerived() else { return found }
    }
  }

  /// Goes behind bad bytes in a packed segment that held no position, since the next good block goes on with the next one: a bad
  /// inner checkpoint.
  private mutating func passOverDerived() throws(FileError) -> Bool {
    guard isPacked, let nextPosition else { return false }
    var ahead = scanner
    guard try ahead.skipToNextBlock(), try ahead.peek()?.firstPosition == nextPosition else { return false }
    scanner = ahead
    return true
  }

  /// Passes over the next block, or the packed one, unless it holds a position's record or one behind it.
  ///
  /// - Returns: how many bytes of the file were passed over; `nil` when there is nothing to pass over.
  mutating func skip(before position: Position) throws(FileError) -> Int64? {
    if next < unpacked.blocks.count {
      guard unpacked.blocks[next].header.isBefore(position) else { return nil }
      next += 1
      return 0
    }
    var header = try scanner.peek()
    if header == nil, try passOverDerived() { header = try scanner.peek() }
    guard let header, header.isBefore(position) else { return nil }
    scanner.skip(header)
    nextPosition = header.nextPosition
    return Int64(header.length)
  }

  /// Reads all blocks of a sealed segment, to write it anew: what is bad and held none of its records is passed over.
  ///
  /// That is what stands behind the last record, and in a packed segment also what stands between blocks whose positions
  /// follow one another: inner checkpoints and the index are told from the blocks.
  ///
  /// - Parameter positions: those that the segment has to hold.
  /// - Returns: the first damage that was passed over; `nil` where there is none.
  /// - Throws: ``FileError``, or ``LogDamage`` where a position is hidden by what is bad, or for what `body` has of a block's
  ///   content.
  @discardableResult
  mutating func readAll(
    of positions: Range<Position>, _ body: (BlockHeader, BlockView) throws -> Void
  ) throws -> LogDamage? {
    var next = positions.lowerBound
    var passed: LogDamage?
    while true {
      let start = offset
      let problem: LogDamage
      switch try read() {
      case .block(let header, let bytes, let at):
        // Behind what is bad even a good block may be out of place.
        if let passed, header.firstPosition != next { return try passed.unless(next >= positions.upperBound) }
        next = header.nextPosition
        do {
          try body(header, header.view(bytes, at: at))
        } catch let error as ContentError {
          throw LogDamage(file: file.path, offset: start, reason: "\(error)")
        }
        continue
      case .end:
        if try SegmentReading.lastNonZero(in: file, from: offset) == nil {
          return try passed?.unless(next >= positions.upperBound)
        }
        // Not where the reading began, since derived blocks are passed over.
        problem = LogDamage(file: file.path, offset: offset, reason: "a block is missing here")
      case .bad(let found): problem = LogDamage(file: file.path, offset: offset, reason: "\(found)")
      }
      let first = passed ?? problem
      passed = first
      // In a segment that isn't packed a mark may be hidden between its records.
      guard isPacked, try scanner.skipToNextBlock() else { return try first.unless(next >= positions.upperBound) }
    }
  }

  /// Reads the block that holds a position, after all before it were passed over.
  ///
  /// - Throws: ``FileError``, or ``LogDamage`` when no such block is next.
  mutating func block(holding position: Position) throws -> BlockView {
    let start = offset
    func damage(_ reason: String) -> LogDamage { LogDamage(file: file.path, offset: start, reason: reason) }
    repeat {
      switch try readOn() {
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
  /// The damage where it hides nothing; else it is thrown.
  fileprivate func unless(_ hidesNothing: Bool) throws -> LogDamage {
    if !hidesNothing { throw self }
    return self
  }
}

extension BlockHeader {
  /// Whether no record at a position or behind it stands in the block.
  fileprivate func isBefore(_ position: Position) -> Bool {
    kind != .records && kind != .packed || nextPosition <= position
  }
}
