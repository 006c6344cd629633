import ScrollModel

/// A block that is too large to be read at once, and is read, and decompressed, in pieces.
struct LargeBlock {
  /// How far it is after a piece.
  enum Progress {
    /// More pieces follow.
    case more
    /// The block is intact. Its decompressed payload is `BlockHeader.size` bytes after the start of the memory.
    case whole(Bytes)
    /// Something else is there.
    case bad
  }

  let header: BlockHeader
  private let file: any File
  private let identifier: UInt64
  private let offset: Int64
  private let stored: Bytes
  private var count = 0
  private var unpacking: FrameUnpacking?

  /// Begins to read the block at a scanner's offset.
  ///
  /// - Parameter header: the header that the scanner finds there.
  /// - Returns: `nil` when the file ends before the block does. No memory is allocated then.
  init?(_ header: BlockHeader, at scanner: SegmentScanner) throws(FileError) {
    guard try scanner.file.size() - scanner.offset >= Int64(header.length) else { return nil }
    self.header = header
    file = scanner.file
    identifier = scanner.identifier
    offset = scanner.offset
    stored = Bytes(capacity: header.length)
  }

  /// How much memory it holds, in bytes.
  var heldBytes: Int { unpacking?.heldBytes ?? stored.capacity }

  /// Reads so many bytes more, or decompresses as many.
  mutating func step(_ size: Int) throws(FileError) -> Progress {
    if let unpacking {
      switch unpacking.step(size) {
      case .more: return .more
      case .whole: return .whole(unpacking.bytes)
      case .bad: return .bad
      }
    }
    if count < header.length {
      let part = min(size, header.length - count)
      let read = try file.read(
        at: offset + Int64(count), into: UnsafeMutableRawBufferPointer(start: stored.base + count, count: part))
      count += read
      return read == part ? .more : .bad
    }
    guard BlockHeader.decode(stored, at: 0, identifier: identifier) == header,
      header.isIntact(stored, at: 0, identifier: identifier)
    else { return .bad }
    guard let length = header.unpackedLength else { return .whole(stored) }
    let payload = BlockHeader.size..<(BlockHeader.size + header.payloadLength)
    unpacking = FrameUnpacking(stored, payload, count: length, at: BlockHeader.size)
    return unpacking == nil ? .bad : .more
  }
}
