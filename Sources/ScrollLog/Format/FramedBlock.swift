import ScrollModel

/// Blocks that are framed where they are encoded, other than the records' which the commit thread frames.
enum FramedBlock {
  /// Appends a block whose payload is packed.
  static func appendPacked(
    _ header: BlockHeader, _ payload: UnsafeRawBufferPointer, identifier: UInt64, to writer: inout ByteWriter
  ) {
    var header = header
    header.unpackedLength = payload.count
    append(header, identifier: identifier, to: &writer) { Compression.append(payload, to: &$0) }
  }

  /// Appends a block to what will be written at once: `body` writes the payload.
  static func append(
    _ header: BlockHeader, identifier: UInt64, to writer: inout ByteWriter, body: (inout ByteWriter) -> Void
  ) {
    var header = header
    let start = writer.count
    writer.appendZeros(BlockHeader.size)
    body(&writer)
    header.payloadLength = writer.count - start - BlockHeader.size
    writer.appendZeros(header.length - (writer.count - start))
    header.seal(writer.bytes, at: start, identifier: identifier)
  }
}
