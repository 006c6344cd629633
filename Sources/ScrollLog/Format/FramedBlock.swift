import ScrollModel

/// Blocks that are framed as soon as they are encoded. Blocks of records are framed later, by the commit thread.
enum FramedBlock {
  /// Appends a block and compresses its payload.
  static func appendPacked(
    _ header: BlockHeader, _ payload: UnsafeRawBufferPointer, identifier: UInt64, to writer: inout ByteWriter
  ) {
    var header = header
    header.unpackedLength = payload.count
    append(header, identifier: identifier, to: &writer) { Compression.append(payload, to: &$0) }
  }

  /// Appends a block whose payload `body` writes.
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
