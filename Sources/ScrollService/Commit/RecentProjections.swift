import ScrollLog
import ScrollModel

/// Copies of the fold at some recent positions.
///
/// A reader who goes back a little begins at one of them instead of at the segment's checkpoint, which may be millions of
/// events further back.
struct RecentProjections {
  private static let count = 4
  /// The bytes of log that a session's copy is worth: with many sessions, copies are rarer.
  private static let bytesPerSession: Int64 = 1024

  /// Minimum log growth between copies, in bytes.
  var interval: Int64 = 4 << 20
  private var kept: [Projection] = []
  private var bytesSince: Int64 = 0

  /// Records that a block was folded.
  mutating func add(_ byteCount: Int, _ projection: Projection) {
    bytesSince += Int64(byteCount)
    guard bytesSince >= max(interval, Int64(projection.sessions.count) * Self.bytesPerSession) else { return }
    bytesSince = 0
    if kept.count == Self.count { kept.removeFirst() }
    kept.append(projection.copy())
  }

  /// The latest copy at or before a position; `nil` when that is too far back.
  func latest(through position: Position) -> Projection? { kept.last { $0.position <= position } }
}
