import CZstd

/// zstd's frames.
enum Compression {
  /// zstd's level.
  static let level: Int32 = 6

  /// Appends the frame that holds bytes.
  static func append(_ bytes: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    let bound = ZSTD_compressBound(bytes.count)
    writer.reserve(bound)
    let count = ZSTD_compress(writer.cursor, bound, bytes.baseAddress, bytes.count, level)
    // With room for the worst case zstd fails only where the machine has no memory left, as allocating does.
    precondition(ZSTD_isError(count) == 0, "zstd cannot compress")
    writer.advance(by: count)
  }

  /// Unpacks a frame to memory.
  ///
  /// - Parameters:
  ///   - count: how many bytes it has to come to, by its own word, too.
  ///   - offset: where in the fresh memory they begin.
  /// - Returns: `nil` when the bytes are no such frame. No memory is taken for one that tells of another length.
  static func unpack(_ frame: UnsafeRawBufferPointer, count: Int, at offset: Int) -> Bytes? {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(count) else { return nil }
    let bytes = Bytes(capacity: offset + count)
    guard ZSTD_decompress(bytes.base + offset, count, frame.baseAddress, frame.count) == count else { return nil }
    return bytes
  }
}
