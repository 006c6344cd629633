import ScrollModel

/// A segment that is no longer written to.
public struct SealedSegment: Equatable, Sendable {
  /// The size of its file, in bytes.
  public var bytes: Int64
  /// The size of its snapshots, in bytes.
  public var snapshotBytes: Int64
  /// When the daemon received its last record, microseconds since the Unix epoch; `nil` when damage hides it.
  public var lastReceived: Int64?
  /// Whether it is packed.
  public var isPacked: Bool
  /// Whether it has to be packed, since it is not packed or its index is bad. One that a repair has left a gap in stays as it is.
  public var needsPacking: Bool

  /// The positions before the next segment that a repair has given up.
  var gap: ClosedRange<Position>?
  /// The generation in its header; `nil` if that is bad, or was not read.
  var generation: Generation?
  /// Whose records it holds; `nil` while that is unknown.
  public var use: SegmentUse?
  /// The users above their share whose records have been taken out of it.
  var trimmed: Set<UInt32> = []

  /// Creates a sealed segment.
  public init(bytes: Int64, snapshotBytes: Int64 = 0, lastReceived: Int64?, isPacked: Bool = false) {
    self.bytes = bytes
    self.snapshotBytes = snapshotBytes
    self.lastReceived = lastReceived
    self.isPacked = isPacked
    needsPacking = !isPacked
  }
}
