/// What a block holds. The raw values are part of the format.
enum BlockKind: UInt8, CaseIterable {
  /// Records: one group commit.
  case records = 1
  /// The open sessions at the start of the segment.
  case checkpoint = 2
  /// A daemon began to write to the segment; holds generation, boot ID and sync mode.
  case start = 3
  /// The daemon shut down cleanly: everything before is synced.
  case cleanStop = 4
  /// The start of a snapshot. It never occurs in a segment.
  case snapshotIndex = 5
  /// Group commits and marks of a packed segment, in columns.
  case packed = 6
  /// The open sessions at a position within a packed segment.
  case innerCheckpoint = 7
  /// The index of a packed segment.
  case packedIndex = 8
  /// The offset of the index of a packed segment; its last block.
  case indexPlace = 9
  /// The end of a sealed segment that is not packed; holds the first position of the next one.
  case seal = 10
}
