import ScrollModel

/// What is kept beside the segment that is written to: the open sessions at a position, and what has to be known besides
/// to go on from there without reading what comes before.
///
/// It is derived from the segment: without it, or where it cannot be believed, the segment is read through.
public struct Snapshot: Sendable {
  /// The open sessions at its position.
  public let checkpoint: Checkpoint
  /// The blocks that the segment's index took up since the snapshot before.
  let entries: [SegmentIndex.Entry]
  /// The sessions that were closed in the segment since the snapshot before.
  let closedSessions: [SessionID]
  /// When the daemon got the segment's first record, microseconds since the Unix epoch.
  let firstReceived: Int64
}
