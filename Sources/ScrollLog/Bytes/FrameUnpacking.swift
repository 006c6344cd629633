import CZstd

/// A frame of zstd that is decompressed in pieces.
final class FrameUnpacking {
  /// How far it is after a piece.
  enum Progress {
    /// More pieces follow.
    case more
    /// All of the frame is decompressed.
    case whole
    /// The bytes are no frame of the length that was asked for.
    case bad
  }

  /// Fresh memory with what is decompressed so far.
  let bytes: Bytes
  private let context: OpaquePointer
  private let frame: Bytes
  /// Where the frame is in its memory, and where in the fresh memory its content begins.
  private let place: Range<Int>
  private let start: Int
  private var consumed = 0
  private var produced = 0

  /// Begins to decompress a frame.
  ///
  /// - Parameters:
  ///   - place: where the frame is in `frame`.
  ///   - count: how many bytes the frame must hold, and must say that it holds.
  ///   - start: where in the fresh memory they begin.
  /// - Returns: `nil` when the bytes do not begin such a frame.
  init?(_ frame: Bytes, _ place: Range<Int>, count: Int, at start: Int) {
    let size = frame.withBytes(place.lowerBound, place.count) { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    guard size == UInt64(count), let context = ZSTD_createDCtx() else { return nil }
    self.context = context
    self.frame = frame
    self.place = place
    self.start = start
    bytes = Bytes(capacity: start + count)
  }

  deinit { ZSTD_freeDCtx(context) }

  /// How much memory it holds, in bytes; zstd's own window may take some MiB more.
  var heldBytes: Int { frame.capacity + bytes.capacity }

  /// Decompresses so many bytes more.
  func step(_ count: Int) -> Progress {
    let total = bytes.capacity - start
    let (read, written) = (consumed, produced)
    let left = withExtendedLifetime(self) {
      var input = ZSTD_inBuffer(
        src: UnsafeRawPointer(frame.base + place.lowerBound), size: place.count, pos: read)
      var output = ZSTD_outBuffer(dst: bytes.base + start, size: min(total, written + count), pos: written)
      let left = ZSTD_decompressStream(context, &output, &input)
      consumed = input.pos
      produced = output.pos
      return left
    }
    if ZSTD_isError(left) != 0 { return .bad }
    if left == 0 { return produced == total && consumed == place.count ? .whole : .bad }
    return consumed > read || produced > written ? .more : .bad
  }
}
