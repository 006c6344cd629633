/// What a block holds. The raw value is the kind's number in the log.
enum BlockKind: UInt8, CaseIterable {
  /// Records: one group commit.
  case records = 1
  /// The open sessions at the segment's head.
  case checkpoint = 2
  /// A daemon began to write to the segment: generation, boot id, sync mode.
  case start = 3
  /// The daemon stopped in order: all before is synced.
  case cleanStop = 4
  /// What a snapshot begins with. It never stands in a segment.
  case snapshotIndex = 5
  /// Group commits and marks of a packed segment, by columns.
  case packed = 6
  /// The open sessions at a position within a packed segment.
  case innerCheckpoint = 7
  /// What stands where in a packed segment.
  case packedIndex = 8
  /// Where the index of a packed segment stands; its last block.
  case indexPlace = 9
}
