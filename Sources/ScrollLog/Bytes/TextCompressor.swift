import CZstd

/// A compressor of text that is kept for a short time, so that little time matters more than little space. Each piece becomes a
/// frame of zstd.
public final class TextCompressor {
  /// The level: -3 makes a recording's text six times smaller, and 1 ten times in half as much time again.
  private static let level: Int32 = -3

  private let packing: OpaquePointer
  private let unpacking: OpaquePointer
  /// Memory for the largest frame so far.
  private var room = Bytes(capacity: 0)

  /// Creates a compressor.
  public init() {
    guard let packing = ZSTD_createCCtx(), let unpacking = ZSTD_createDCtx() else {
      // Swift's own allocations also end the process when memory runs out.
      fatalError("out of memory: cannot allocate a compressor")
    }
    self.packing = packing
    self.unpacking = unpacking
  }

  deinit {
    ZSTD_freeCCtx(packing)
    ZSTD_freeDCtx(unpacking)
  }

  /// Returns a piece of text in its compressed form.
  public func packed(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    let bound = ZSTD_compressBound(text.count)
    if room.capacity < bound { room = Bytes(capacity: bound) }
    let count = ZSTD_compressCCtx(packing, room.base, bound, text.baseAddress, text.count, Self.level)
    // With room for the worst case zstd fails only when memory runs out, as any allocation does.
    precondition(ZSTD_isError(count) == 0, "zstd cannot compress")
    return room.withBytes(0, count) { [UInt8]($0) }
  }

  /// Returns the text of a compressed piece; `nil` when the bytes are none, or one of another length.
  ///
  /// - Parameter count: How many bytes the text has.
  public func unpacked(_ frame: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
    var isWhole = false
    let text = [UInt8](
      unsafeUninitializedCapacity: count,
      initializingWith: { text, initialized in
        let found = ZSTD_decompressDCtx(unpacking, text.baseAddress, count, frame.baseAddress, frame.count)
        isWhole = ZSTD_isError(found) == 0 && found == count
        initialized = isWhole ? count : 0
      })
    return isWhole ? text : nil
  }
}
