import ScrollModel

/// A cursor over the blocks of a segment that trusts nothing but checksums. It reads the file through a window.
struct SegmentScanner {
  /// What was found where a block should begin.
  enum Found {
    /// A block whose checksum is right. Its decompressed payload is `BlockHeader.size` bytes after `at`.
    case block(BlockHeader, Bytes, at: Int)
    /// Only zeros, or the end of the file.
    case end
    /// Something else.
    case bad(Problem)
  }

  /// Why bytes are not a block.
  enum Problem: Equatable {
    case noHeader
    case beyondEnd(length: Int)
    case badChecksum
    case notPacked
    case badContent(ContentError)
  }

  private static let windowSize = 256 << 10

  let file: any File
  let identifier: UInt64
  /// Where the next block should begin.
  var offset: Int64

  private var window = Bytes(capacity: 0)
  private var windowStart: Int64 = 0
  private var windowCount = 0

  /// How many blocks were found intact, and how many bytes were read.
  private(set) var blocksRead = 0
  private(set) var bytesRead: Int64 = 0

  init(_ file: any File, identifier: UInt64, offset: Int64 = Int64(SegmentHeader.size)) {
    self.file = file
    self.identifier = identifier
    self.offset = offset
  }

  /// The size of the window, in bytes.
  var heldBytes: Int { window.capacity }

  /// Reads the block at ``offset`` and moves past it. If no block is there, the scanner does not move.
  mutating func next() throws(FileError) -> Found {
    var found = try look()
    if case .block = found {
    } else {
      // The file may have changed since the window was read.
      windowCount = 0
      found = try look()
    }
    if case .block(let header, _, _) = found {
      blocksRead += 1
      skip(header)
    }
    return found
  }

  /// Returns the header of the block at ``offset`` without checking the payload; `nil` if no block is there.
  mutating func peek() throws(FileError) -> BlockHeader? {
    if let header = try lookAtHeader() { return header }
    windowCount = 0
    return try lookAtHeader()
  }

  /// Moves past the block at ``offset``.
  mutating func skip(_ header: BlockHeader) { offset += Int64(header.length) }

  /// Moves past the block at ``offset``, which was read without the scanner and found intact.
  mutating func didRead(_ header: BlockHeader) {
    blocksRead += 1
    bytesRead += Int64(header.length)
    skip(header)
  }

  /// Checks the block that has to be at ``offset``, and moves past it.
  ///
  /// - Throws: ``FileError``; ``LogDamage`` if there is no good block.
  mutating func verifiedHeader() throws -> BlockHeader {
    switch try next() {
    case .block(let header, _, _): return header
    case .end: throw LogDamage(file: file.path, offset: offset, reason: "a block is missing here")
    case .bad(let problem): throw LogDamage(file: file.path, offset: offset, reason: "\(problem)")
    }
  }

  private mutating func look() throws(FileError) -> Found {
    guard let header = try lookAtHeader() else {
      let start = Int(offset - windowStart)
      return isZero(start, min(BlockHeader.size, windowCount - start)) ? .end : .bad(.noHeader)
    }
    guard try fill(header.length) == header.length else { return .bad(.beyondEnd(length: header.length)) }
    let start = Int(offset - windowStart)
    guard header.isIntact(window, at: start, identifier: identifier) else { return .bad(.badChecksum) }
    guard let count = header.unpackedLength else { return .block(header, window, at: start) }
    let unpacked = window.withBytes(start + BlockHeader.size, header.payloadLength) {
      Compression.unpack($0, count: count, at: BlockHeader.size)
    }
    guard let unpacked else { return .bad(.notPacked) }
    return .block(header, unpacked, at: 0)
  }

  private mutating func lookAtHeader() throws(FileError) -> BlockHeader? {
    guard try fill(BlockHeader.size) == BlockHeader.size else { return nil }
    return BlockHeader.decode(window, at: Int(offset - windowStart), identifier: identifier)
  }

  /// Makes sure that the window holds bytes from ``offset`` on.
  ///
  /// - Returns: how many of them it holds; fewer than asked for at the end of the file.
  private mutating func fill(_ count: Int) throws(FileError) -> Int {
    let start = offset - windowStart
    if start >= 0, start + Int64(count) <= Int64(windowCount) { return count }
    if count > Self.windowSize {
      // A wrong length in a header must not make us allocate more than the file holds.
      let available = try file.size() - offset
      if available < Int64(count) { return Int(max(0, available)) }
    }
    // Always fresh memory, since views of blocks may still refer to the old window.
    let fresh = Bytes(capacity: max(count, Self.windowSize))
    windowCount = try file.read(
      at: offset, into: UnsafeMutableRawBufferPointer(start: fresh.base, count: fresh.capacity))
    bytesRead += Int64(windowCount)
    window = fresh
    windowStart = offset
    return min(count, windowCount)
  }

  private func isZero(_ at: Int, _ count: Int) -> Bool {
    window.withBytes(at, count) { $0.allSatisfy { $0 == 0 } }
  }

  /// Moves to the next good block after ``offset``, at a multiple of 8.
  ///
  /// - Returns: whether there is one.
  mutating func skipToNextBlock() throws(FileError) -> Bool {
    let size = try file.size()
    offset = (offset + 8) & ~7
    while offset + Int64(BlockHeader.size + BlockHeader.trailerSize) <= size {
      guard try fill(BlockHeader.size) == BlockHeader.size else { return false }
      let at = Int(offset - windowStart)
      let magic = window.withBytes(at, 4) { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
      if magic == BlockHeader.magic, case .block = try look() { return true }
      offset += 8
    }
    return false
  }
}

extension SegmentScanner.Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .noHeader: "no block begins here"
    case .beyondEnd(let length): "a block of \(length) bytes extends beyond the end of the file"
    case .badChecksum: "the block's checksum is wrong"
    case .notPacked: "zstd cannot decompress the block's payload"
    case .badContent(let error): "\(error)"
    }
  }
}
