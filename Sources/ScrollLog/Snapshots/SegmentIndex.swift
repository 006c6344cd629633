import ScrollModel

/// The offsets of blocks of records in a segment: of the first one, and then of about one every 256 KiB. With it a reader
/// need not scan the segment from the start.
struct SegmentIndex: Equatable, Sendable {
  /// A block of records.
  struct Entry: Equatable, Sendable {
    /// The offset in the segment.
    var offset: Int64
    /// The position of its first record.
    var firstPosition: Position
    /// When the daemon received its records, microseconds since the Unix epoch.
    var received: Int64
  }

  /// The least distance between entries, in bytes. A reader skips at most this much and one block.
  static let spacing: Int64 = 256 << 10

  private(set) var entries: [Entry] = []

  /// Adds the next block if it is far enough from the last entry.
  mutating func add(_ entry: Entry) {
    if let last = entries.last, entry.offset - last.offset < Self.spacing { return }
    entries.append(entry)
  }

  /// Appends the entries of another index.
  mutating func append(_ further: [Entry]) { entries += further }

  /// Returns the last entry whose block begins at or before a position; `nil` if no such entry exists.
  func entry(for position: Position) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].firstPosition <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : entries[low - 1]
  }
}
