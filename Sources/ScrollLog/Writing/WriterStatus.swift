import ScrollModel

/// The progress of the writer.
public struct WriterStatus: Equatable, Sendable {
  /// The identifier of the segment that is being written.
  var identifier: UInt64
  /// The first position of the segment that is being written.
  public var segment: Position
  /// How many bytes of the segment are in use.
  public var segmentBytes: Int64
  /// The size of the segment that this writer has sealed last, in bytes; 0 if it has sealed none.
  public var sealedBytes: Int64
  /// The size of its files in bytes, including reserved space and snapshots.
  public var reservedBytes: Int64
  /// The size of its snapshots, in bytes.
  public var snapshotBytes: Int64
  /// Whether ``CommitJob/check`` still has to check a part of it that the start did not read.
  public var isUnchecked: Bool
  /// The last position written.
  public var written: Position
  /// The last position synced, which survives a power loss.
  public var synced: Position
}
