import ScrollModel

/// The records of one group commit, collected by a ``BlockBuilder``.
public struct Block: Sendable {
  /// The position of the first record.
  public let firstPosition: Position
  /// How many records there are, at least 1.
  public let recordCount: Int
  /// When the daemon received them, microseconds since the Unix epoch.
  public let received: Int64
  let payloadLength: Int
  /// Header, payload, padding and checksum. All but the payload is filled in when the block is written.
  let bytes: Bytes

  /// The position of the last record.
  public var lastPosition: Position { firstPosition + Int64(recordCount) - 1 }

  /// The size of the block in the file, in bytes.
  public var byteCount: Int { BlockHeader.length(payload: payloadLength) }

  /// The records, to fold or send them without reading them back.
  public var view: BlockView {
    BlockView(
      firstPosition: firstPosition, recordCount: recordCount, received: received, bytes: bytes,
      payload: BlockHeader.size..<(BlockHeader.size + payloadLength))
  }
}
