import ScrollModel

/// The parts of a segment that every reader needs. All functions throw ``FileError`` or ``LogDamage``.
enum SegmentReading {
  /// Reads the header of a segment.
  ///
  /// - Parameter firstPosition: the position in the file's name.
  static func header(of file: any File, firstPosition: Position) throws -> SegmentHeader {
    let bytes = Bytes(capacity: SegmentHeader.size)
    let count = try file.read(at: 0, into: UnsafeMutableRawBufferPointer(start: bytes.base, count: bytes.capacity))
    guard count == SegmentHeader.size else {
      throw LogDamage(file: file.path, offset: 0, reason: "the segment's header is cut off")
    }
    do {
      let header = try SegmentHeader.decode(bytes)
      guard header.firstPosition == firstPosition else {
        throw LogDamage(
          file: file.path, offset: 0,
          reason: "the segment's header says that it begins at position \(header.firstPosition)")
      }
      return header
    } catch let problem as SegmentHeader.Problem {
      throw LogDamage(file: file.path, offset: 0, reason: "\(problem)")
    }
  }

  /// Reads the checkpoint at a segment's head, or one within it, and moves the scanner past it.
  static func checkpoint(
    _ scanner: inout SegmentScanner, firstPosition: Position, kind: BlockKind = .checkpoint
  ) throws -> (Checkpoint, GenerationHistory) {
    var blocks = CheckpointBlocks(scanner, firstPosition: firstPosition, kind: kind)
    defer { scanner = blocks.scanner }
    while true {
      if let found = try blocks.step() { return found }
    }
  }

  /// Finds the last byte that is not zero, at or after an offset.
  ///
  /// - Returns: its offset; `nil` when all are zero.
  static func lastNonZero(in file: any File, from start: Int64) throws(FileError) -> Int64? {
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { window.deallocate() }
    var end = try file.size()
    // Mostly, little more than the space for marks is zero.
    var length = 2 * SegmentHead.reserveForMarks
    while end > start {
      let from = max(start, end - length)
      length = min(2 * length, Int64(window.count))
      let part = UnsafeMutableRawBufferPointer(rebasing: window[..<Int(end - from)])
      let count = try file.read(at: from, into: part)
      if let last = part[..<count].lastIndex(where: { $0 != 0 }) { return from + Int64(last) }
      end = from
    }
    return nil
  }
}

extension BlockHeader {
  /// Returns the records of a block that a scanner found.
  func view(_ bytes: Bytes, at offset: Int) -> BlockView {
    let start = offset + Self.size
    return BlockView(
      firstPosition: firstPosition, recordCount: recordCount, received: received, bytes: bytes,
      payload: start..<(start + (unpackedLength ?? payloadLength)))
  }
}

extension SegmentSeal {
  /// Reads the seal at the end of a file. Zeros may follow it: the reserved space, which a power loss may bring back.
  ///
  /// - Returns: `nil` if the file does not end with a seal.
  static func find(in file: any File, _ header: SegmentHeader) throws(FileError) -> SegmentSeal? {
    try findBlock(in: file, header)?.seal
  }

  /// Reads the seal at the end of a file, and the header of its block.
  static func findBlock(
    in file: any File, _ header: SegmentHeader
  ) throws(FileError) -> (block: BlockHeader, seal: SegmentSeal)? {
    guard let last = try SegmentReading.lastNonZero(in: file, from: Int64(SegmentHeader.size)) else { return nil }
    // Blocks end at multiples of 8, and the last bytes of a checksum may be zero.
    let offset = (last + 8) & ~7 - Int64(blockSize)
    guard offset >= Int64(SegmentHeader.size) else { return nil }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: offset)
    guard case .block(let block, let bytes, let at) = try scanner.next(), block.kind == .seal else { return nil }
    var reader = block.view(bytes, at: at).reader
    return (try? read(&reader)).map { (block, $0) }
  }
}
