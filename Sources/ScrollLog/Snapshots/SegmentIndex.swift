import ScrollModel

/// Where blocks of records stand in a segment: the first one, and then about one every 256 KiB.
struct SegmentIndex: Equatable, Sendable {
  /// A block of records.
  struct Entry: Equatable, Sendable {
    /// Where it begins in the segment, in bytes.
    var offset: Int64
    /// The position of its first record.
    var firstPosition: Position
    /// When the daemon got its records, microseconds since the Unix epoch.
    var received: Int64
  }

  /// How far entries are apart at the least, in bytes. Who seeks passes over no more than this and one block.
  static let spacing: Int64 = 256 << 10

  private(set) var entries: [Entry] = []

  /// Takes up the next block where it is far enough from the last one that is known.
  mutating func note(_ entry: Entry) {
    if let last = entries.last, entry.offset - last.offset < Self.spacing { return }
    entries.append(entry)
  }

  /// Takes up entries that another index kept.
  mutating func append(_ further: [Entry]) { entries += further }

  /// The last known block that begins at or before a position; `nil` when none does.
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
