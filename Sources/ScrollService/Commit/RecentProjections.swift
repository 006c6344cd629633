import ScrollLog
import ScrollModel

/// Copies of the fold at some recent positions.
///
/// A query that goes back a little begins at one of them instead of at the segment's checkpoint, which may be millions
/// of events earlier.
struct RecentProjections {
  private static let count = 4
  /// How many sessions are copied at no more cost than a small block takes to fold.
  private static let cheapSessions = 256
  /// Minimum log growth between copies for each open session beyond those, in bytes: a copy delays everybody.
  private static let bytesPerSession: Int64 = 8192

  /// Minimum log growth between copies, in bytes.
  var interval: Int64 = 4 << 20
  private var kept: [Projection] = []
  private var bytesSince: Int64 = 0

  /// Records that a block was folded.
  mutating func add(_ byteCount: Int, _ projection: Projection) {
    bytesSince += Int64(byteCount)
    guard bytesSince >= max(interval, Int64(projection.sessions.count - Self.cheapSessions) * Self.bytesPerSession)
    else { return }
    bytesSince = 0
    if kept.count == Self.count { kept.removeFirst() }
    kept.append(projection.copyForQuery { _, _ in true })
  }

  /// Returns the latest copy at or before a position; `nil` when all copies are later.
  func latest(through position: Position) -> Projection? { kept.last { $0.position <= position } }
}
