import CZstd

/// Frames of zstd, which compresses the payloads of packed segments.
enum Compression {
  /// The compression level.
  static let level: Int32 = 6

  /// Appends bytes as a frame.
  static func append(_ bytes: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    let bound = ZSTD_compressBound(bytes.count)
    writer.reserve(bound)
    let count = ZSTD_compress(writer.cursor, bound, bytes.baseAddress, bytes.count, level)
    // With room for the worst case zstd fails only when memory runs out, as any allocation does.
    precondition(ZSTD_isError(count) == 0, "zstd cannot compress")
    writer.advance(by: count)
  }

  /// Decompresses a frame into fresh memory.
  ///
  /// - Parameters:
  ///   - count: how many bytes the frame must hold, and must say that it holds.
  ///   - offset: where in the fresh memory they begin.
  /// - Returns: `nil` when the bytes are no such frame. For a frame of another length no memory is allocated.
  static func unpack(_ frame: UnsafeRawBufferPointer, count: Int, at offset: Int) -> Bytes? {
    guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(count) else { return nil }
    let bytes = Bytes(capacity: offset + count)
    guard ZSTD_decompress(bytes.base + offset, count, frame.baseAddress, frame.count) == count else { return nil }
    return bytes
  }
}
