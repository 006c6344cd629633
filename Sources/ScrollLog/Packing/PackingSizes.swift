// How large the parts of a packed segment are.

/// How large the parts of a packed segment are. Readers go by what they find; tests make them small, so that there are several.
public struct PackingSizes: Sendable {
  /// After how many bytes of blocks, as they were, a packed block ends: so much is unpacked to read any of it.
  public var block = 1 << 20
  /// After how many records a packed block ends.
  public var blockRecords = 16_384
  /// How many bytes of blocks, as they were, lie between checkpoints, at the least: so much is folded to know a past state.
  public var checkpointDistance = 4 << 20

  /// The usual sizes, or others.
  public init(block: Int = 1 << 20, blockRecords: Int = 16_384, checkpointDistance: Int = 4 << 20) {
    self.block = block
    self.blockRecords = blockRecords
    self.checkpointDistance = checkpointDistance
  }
}
