import ScrollModel

/// The last block of a sealed segment: it says which segment follows.
///
/// A log whose last file has one has lost the files after it.
struct SegmentSeal: Equatable {
  /// The size of its block, in bytes.
  static let blockSize = BlockHeader.length(payload: 8)

  /// The first position of the next segment.
  var nextSegment: Position

  /// Appends the block that ends a segment.
  ///
  /// - Parameters:
  ///   - position: the last position of the segment.
  ///   - end: the offset of the block, below which everything is synced.
  func append(
    after position: Position, received: Int64, end: Int64, identifier: UInt64, to writer: inout ByteWriter
  ) {
    let header = BlockHeader(
      payloadLength: 0, kind: .seal, recordCount: 0, firstPosition: position + 1, received: received,
      syncedTo: position, syncedOffset: end)
    FramedBlock.append(header, identifier: identifier, to: &writer) { $0.append(nextSegment) }
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> SegmentSeal {
    let seal = SegmentSeal(nextSegment: try reader.ordinal("next segment"))
    guard reader.isAtEnd else { throw .badValue(field: "seal", value: UInt64(reader.end - reader.offset)) }
    return seal
  }
}
