// What a packed block holds.

/// The group commits and marks that a packed block holds, in order.
struct UnpackedBlocks {
  /// Of each block the room for a header, then its payload.
  var bytes: Bytes
  /// The blocks and where they stand in ``bytes``.
  var blocks: [(header: BlockHeader, at: Int)]
}
