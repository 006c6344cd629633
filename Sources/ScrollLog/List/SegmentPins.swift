/// Backups that need every segment to stay, and whether a removal is waiting for them.
struct SegmentPins {
  private var count = 0
  private(set) var isRemovalDelayed = false

  var isPinned: Bool { count > 0 }

  mutating func pin() { count += 1 }

  mutating func unpin() { count -= 1 }

  /// Returns whether segments may be removed now, and records whether that delays the removal of any.
  mutating func permitsRemoval(of segments: Int) -> Bool {
    isRemovalDelayed = count > 0 && segments > 0
    return count == 0
  }
}
