import ScrollModel

/// Where a snapshot stands beside its segment, and what it is of.
public struct SnapshotPlace: Equatable, Sendable {
  /// The last position that is folded into it.
  public var position: Position
  /// When the daemon got the record at the position, microseconds since the Unix epoch.
  public var received: Int64
  /// The version of the fold that made its states.
  var foldVersion: UInt32
  /// Where the segment's blocks up to the position end, in bytes.
  public var segmentOffset: Int64
  /// Where it begins in the file of the snapshots, in bytes.
  var start: Int64
  /// Where its checkpoint begins in the file of the snapshots, in bytes.
  var checkpointStart: Int64
}
