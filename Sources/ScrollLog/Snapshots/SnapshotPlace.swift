import ScrollModel

/// Where a snapshot is, and which position it is of.
public struct SnapshotPlace: Equatable, Sendable {
  /// The last position that is folded into it.
  public var position: Position
  /// When the daemon received the record at the position, microseconds since the Unix epoch.
  public var received: Int64
  /// The version of the fold that computed its states.
  var foldVersion: UInt32
  /// The offset in the segment after the block of the position.
  public var segmentOffset: Int64
  /// The offset of the snapshot in the snapshot file.
  var start: Int64
  /// The offset of its checkpoint in the snapshot file.
  var checkpointStart: Int64
}
