import ScrollModel

/// How far the writer has come.
public struct WriterStatus: Equatable, Sendable {
  /// What seeds the checksums of the segment that is being written.
  var identifier: UInt64
  /// The first position of the segment that is being written.
  public var segment: Position
  /// How many bytes of it are in use.
  public var segmentBytes: Int64
  /// How many bytes its files take, space that is reserved ahead and snapshots included.
  public var reservedBytes: Int64
  /// How many bytes the snapshots beside it take.
  public var snapshotBytes: Int64
  /// Whether a part of it is still to be checked with ``CommitJob/check``, which the start did not read.
  public var isUnchecked: Bool
  /// The last position that was written.
  public var written: Position
  /// The last position that survives a power loss.
  public var synced: Position
}
