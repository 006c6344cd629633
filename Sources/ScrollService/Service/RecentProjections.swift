// The fold as it stood a little while ago.

import ScrollLog
import ScrollModel

/// The fold as it stood at some moments lately.
///
/// Who goes back a little in the log begins there, rather than at the segment's checkpoint, from which there may be
/// millions of events to fold again.
struct RecentProjections {
  /// How many are kept.
  private static let count = 4
  /// What a session's copy is reckoned to weigh against bytes of the log: with many sessions copies are made less often.
  private static let bytesPerSession: Int64 = 1024

  /// How much is written between one copy and the next, in bytes, at the least.
  var interval: Int64 = 4 << 20
  private var kept: [Projection] = []
  private var bytesSince: Int64 = 0

  /// Notes that a block was folded.
  mutating func add(_ byteCount: Int, _ projection: Projection) {
    bytesSince += Int64(byteCount)
    guard bytesSince >= max(interval, Int64(projection.sessions.count) * Self.bytesPerSession) else { return }
    bytesSince = 0
    if kept.count == Self.count { kept.removeFirst() }
    kept.append(projection.copy())
  }

  /// The latest one at or before a position; `nil` when that lies further back.
  func latest(through position: Position) -> Projection? { kept.last { $0.position <= position } }
}
