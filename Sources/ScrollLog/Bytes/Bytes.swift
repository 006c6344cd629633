import CXXHash

/// A piece of raw memory that is freed with its last reference.
///
/// Unchecked, since whoever fills it is the only one that has it: a ``ByteWriter`` gives it away whole, a scanner's
/// window is read-only once it is filled, and of a block on its way to the disk the commit thread touches only the header
/// and the checksum, which nobody else reads.
final class Bytes: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 64)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  /// Lends a part of the memory.
  ///
  /// The object lives as long as `body` takes. A pointer alone would not see to that: what C reads through it is no use of
  /// the object to the optimiser, which frees the memory as soon as nothing else needs it.
  @inline(__always)
  func withBytes<Result, Failure: Error>(
    _ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(offset >= 0 && count >= 0 && offset <= capacity - count)
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: base + offset, count: count))
  }

  /// The checksum of a part of the memory.
  func checksum(_ offset: Int, _ count: Int, seed: UInt64) -> UInt64 {
    withBytes(offset, count) { Checksum.of($0, seed: seed) }
  }
}

/// The log's checksum, XXH3-64.
enum Checksum {
  /// The checksum of bytes, seeded so that what belongs to another segment never fits.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }
}
