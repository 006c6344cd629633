import ScrollLog
import ScrollModel

/// The choice of the segments to pack.
struct Packing {
  /// Whether sealed segments are packed at all.
  var isEnabled: Bool
  private(set) var segmentsPacked: Int64 = 0
  /// The segments that could not be packed, by their first positions.
  private var unpackable: Set<Position> = []
  /// Whether packing waits for the next time that the retention limits are applied, because there was no space.
  private var isPostponed = false
  private var hasLoggedNoSpace = false
  private let segments: SegmentList
  private let journal: Journal

  init(isEnabled: Bool, _ segments: SegmentList, journal: Journal) {
    self.isEnabled = isEnabled
    self.segments = segments
    self.journal = journal
  }

  /// The next segment to pack, by its first position: the newest, since retention might remove the oldest before it is packed.
  var next: Position? { isEnabled && !isPostponed ? segments.nextUnpacked(except: unpackable) : nil }

  /// The size of all segments that are due to be packed, in bytes.
  var bytesDue: Int64 { isEnabled && !isPostponed ? segments.unpackedBytes(except: unpackable) : 0 }

  /// Resumes packing that was postponed.
  mutating func resume() { isPostponed = false }

  /// Records that a segment is packed.
  ///
  /// - Parameter bytes: Its new size; `nil` if retention had removed it.
  mutating func didPack(_ first: Position, _ bytes: Int64?) {
    hasLoggedNoSpace = false
    guard let bytes else { return }
    segments.markPacked(first, bytes: bytes)
    segmentsPacked += 1
  }

  /// Records that a segment could not be packed.
  mutating func didNotPack(_ first: Position, _ error: PackingError) {
    if error == .cancelled { return }
    if error.isNoSpace {
      isPostponed = true
      if !hasLoggedNoSpace { journal.log(.packingPostponed(error)) }
      hasLoggedNoSpace = true
    } else if case .unsynced(let bytes, _) = error {
      journal.log(.packingUnsynced(error))
      didPack(first, bytes)
    } else {
      // It would fail again, so the next attempt is after a restart.
      unpackable.insert(first)
      journal.log(.packingFailed(error))
    }
  }
}
