import ScrollModel

/// What retention goes by of a segment that is no longer written to.
public struct SealedSegment: Equatable, Sendable {
  /// How large its file is.
  public var bytes: Int64
  /// How large the snapshots beside it are.
  public var snapshotBytes: Int64
  /// When the daemon got its last record, microseconds since the Unix epoch; `nil` where damage hides it.
  public var lastReceived: Int64?
  /// Whether it is packed.
  public var isPacked: Bool
  /// Whether it is to be packed: it isn't, or its index is bad.
  public var needsPacking: Bool

  /// A segment of its parts.
  public init(bytes: Int64, snapshotBytes: Int64 = 0, lastReceived: Int64?, isPacked: Bool = false) {
    self.bytes = bytes
    self.snapshotBytes = snapshotBytes
    self.lastReceived = lastReceived
    self.isPacked = isPacked
    needsPacking = !isPacked
  }
}
