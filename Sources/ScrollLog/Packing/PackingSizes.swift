// How large the parts of a packed segment are.

/// How large the parts of a packed segment are. Readers go by what they find.
struct PackingSizes: Sendable {
  /// After how many bytes of blocks, as they were, a packed block ends: so much is unpacked to read any of it.
  var block = 1 << 20
  /// After how many records a packed block ends.
  var blockRecords = 16_384
  /// How many bytes of blocks, as they were, lie between checkpoints, at the least: so much is folded to know a past state.
  var checkpointDistance = 4 << 20
}
