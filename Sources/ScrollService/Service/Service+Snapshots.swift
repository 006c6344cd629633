// When snapshots are written beside the log.

import ScrollLog
import ScrollModel

extension Service {
  /// How many bytes of the log are written for each byte of a snapshot, at the least: snapshots take no more than some 3
  /// percent of what is written.
  private static let snapshotShare: Int64 = 32
  /// What an open session is reckoned to take in a snapshot, in bytes.
  private static let bytesPerSession: Int64 = 1024

  /// Whether it is time for a snapshot.
  var isSnapshotDue: Bool {
    guard !isStopping, !isOutOfSpace, projection.position >= written.segment else { return false }
    let weight = Int64(projection.sessions.count) * Self.bytesPerSession * Self.snapshotShare
    let interval = max(snapshotInterval, weight)
    return written.segmentBytes - (segments.lastSnapshot?.segmentOffset ?? 0) >= interval + snapshotDelay
  }

  /// The snapshot that is to be written now; `nil` when there is none.
  var nextSnapshot: Snapshot? {
    // Whoever waits for the disk comes first after each.
    guard isSnapshotDue, !(hasJustSnapshotted && !builder.isEmpty) else { return nil }
    return segments.snapshot(of: projection.checkpoint())
  }

  /// The snapshot to stop with; `nil` when there is nothing new to keep, or when it was tried.
  var lastSnapshot: Snapshot? {
    let last = segments.lastSnapshot?.position ?? 0
    guard !hasTriedLastSnapshot, projection.position > last, written.snapshotBytes <= written.segmentBytes else {
      return nil
    }
    hasTriedLastSnapshot = true
    return segments.snapshot(of: projection.checkpoint())
  }

  /// A snapshot is written.
  func didSnapshot(_ place: SnapshotPlace?, _ status: WriterStatus) {
    metrics.snapshotsWritten += 1
    metrics.snapshotBytesWritten += status.snapshotBytes - written.snapshotBytes
    written = status
    snapshotDelay = 0
    isSnapshotFailureSaid = false
    if let place { segments.noteWritten(place) }
  }

  /// A snapshot could not be written. It is tried again after some more of the log.
  func didNotSnapshot(_ error: FileError) {
    metrics.snapshotsFailed += 1
    snapshotDelay += snapshotInterval
    if isSnapshotFailureSaid { return }
    isSnapshotFailureSaid = true
    journal.log(.snapshotFailed(error))
  }
}
