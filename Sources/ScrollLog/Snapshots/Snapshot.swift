import ScrollModel

/// The open sessions at a position of the segment that is being written, and whatever else a start needs to continue from
/// there without reading what comes before.
///
/// Snapshots are derived from the segment: without a good one, the whole segment is read.
public struct Snapshot: Sendable {
  /// The open sessions at the snapshot's position.
  public let checkpoint: Checkpoint
  /// The entries that the segment's index has gained since the previous snapshot.
  let entries: [SegmentIndex.Entry]
  /// The sessions that were closed in the segment since the previous snapshot.
  let closedSessions: [ClosedSession]
  /// When the daemon received the segment's first record, microseconds since the Unix epoch.
  let firstReceived: Int64
}
