import ScrollLog

extension FaultyFileSystem {
  /// Returns where the blocks of a segment begin, in order. The first one is the segment's checkpoint.
  public func blockOffsets(in path: String) -> [Int] {
    guard let bytes = self[path] else { return [] }
    func number(at offset: Int) -> Int {
      bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    var offsets: [Int] = []
    var offset = SegmentHeader.size
    while offset + BlockHeader.size <= bytes.count,
      number(at: offset + BlockHeader.Offset.magic) == BlockHeader.magic
    {
      offsets.append(offset)
      offset += BlockHeader.length(payload: number(at: offset + BlockHeader.Offset.payloadLength))
    }
    return offsets
  }

  /// Flips a bit in the payload of a segment's block, by the block's place in ``blockOffsets(in:)``.
  public func damageBlock(_ index: Int, in path: String) {
    self[path]?[blockOffsets(in: path)[index] + BlockHeader.Offset.payload] ^= 1
  }
}
