import ScrollModel

/// Records that are written at once: one group commit, made by a ``BlockBuilder``.
public struct Block: Sendable {
  /// The position of the first record.
  public let firstPosition: Position
  /// How many records there are, at least 1.
  public let recordCount: Int
  /// When the daemon got them, microseconds since the Unix epoch.
  public let received: Int64
  let payloadLength: Int
  /// Header, payload, padding and checksum; the payload is complete, the rest is put in when it is written.
  let bytes: Bytes

  /// The position of the last record.
  public var lastPosition: Position { firstPosition + Int64(recordCount) - 1 }

  /// How many bytes it takes in the file.
  public var byteCount: Int { BlockHeader.length(payload: payloadLength) }

  /// The records, to fold or to send without reading them back.
  public var view: BlockView {
    BlockView(
      firstPosition: firstPosition, recordCount: recordCount, received: received, bytes: bytes,
      payload: BlockHeader.size..<(BlockHeader.size + payloadLength))
  }
}
