import ScrollLog
import ScrollModel

/// The schedule by which the writer stores a snapshot of the fold next to the active segment.
struct SnapshotSchedule {
  /// Log growth for each byte of a snapshot: snapshots take at most about 3 percent of what is written.
  private static let share: Int64 = 32
  /// The estimated size of an open session in a snapshot, in bytes.
  private static let bytesPerSession: Int64 = 1024

  /// Minimum log growth between snapshots, in bytes. A query about the past folds at most this much, some 10 ms.
  var interval: Int64 = 4 << 20
  /// Whether the snapshot for a clean shutdown was attempted.
  var hasTriedLast = false
  /// Whether the last job was a snapshot. Waiting records then come before the next one.
  var isLastJob = false
  private(set) var written: Int64 = 0
  private(set) var bytesWritten: Int64 = 0
  private(set) var failed: Int64 = 0
  /// Log growth before the next attempt, after one failed, in bytes.
  private var delay: Int64 = 0
  private var hasLoggedFailure = false

  /// Whether a snapshot is due.
  ///
  /// - Parameter last: The offset in the segment that the last snapshot covers.
  func isDue(sessions: Int, segmentBytes: Int64, last: Int64) -> Bool {
    let weight = Int64(sessions) * Self.bytesPerSession * Self.share
    return segmentBytes - last >= max(interval, weight) + delay
  }

  /// Records that a segment was begun.
  mutating func didRoll() { delay = 0 }

  /// Records that a snapshot was written.
  mutating func didWrite(_ bytes: Int64) {
    written += 1
    bytesWritten += bytes
    delay = 0
    hasLoggedFailure = false
  }

  /// Records that a snapshot could not be written.
  ///
  /// - Returns: Whether the failure is to be logged.
  mutating func didFail() -> Bool {
    failed += 1
    delay += interval
    defer { hasLoggedFailure = true }
    return !hasLoggedFailure
  }
}
