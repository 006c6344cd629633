import ScrollModel

/// The indexes of the packed segments that were read last.
///
/// Many walks begin in the same few segments, and decoding an index for each of them would take longer than the walk's first
/// step.
final class RecentIndexes {
  private struct Entry {
    var firstPosition: Position
    /// The identifier of the segment's file. A file that is rewritten gets another one.
    var identifier: UInt64
    var index: IndexOutline
    var bytes: Int
  }

  /// How much memory the indexes take at most, in bytes. The newest one is kept whatever its size.
  private static let limit = 8 << 20

  /// The newest last.
  private var entries: [Entry] = []

  /// How much memory the indexes take, in bytes.
  var heldBytes: Int { entries.reduce(0) { $0 + $1.bytes } }

  /// Returns a packed segment with its index.
  ///
  /// - Returns: `nil` if the segment is not packed, or if its index is bad.
  /// - Throws: ``FileError``.
  func segment(of file: any File, _ header: SegmentHeader) throws -> OutlinedSegment? {
    let known = entries.firstIndex {
      $0.firstPosition == header.firstPosition && $0.identifier == header.identifier && header.isPacked
    }
    if let known {
      let entry = entries.remove(at: known)
      entries.append(entry)
      return OutlinedSegment(file: file, header: header, index: entry.index)
    }
    guard let index = try PackedSegment.outline(of: file, header) else { return nil }
    entries.append(
      Entry(
        firstPosition: header.firstPosition, identifier: header.identifier, index: index, bytes: index.heldBytes))
    while entries.count > 1, heldBytes > Self.limit { entries.removeFirst() }
    return OutlinedSegment(file: file, header: header, index: index)
  }

  /// Forgets the index of a segment that is gone.
  func remove(_ firstPosition: Position) { entries.removeAll { $0.firstPosition == firstPosition } }
}
