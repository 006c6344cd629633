import CXXHash

/// Raw memory that is freed with its last reference. The log allocates raw memory only here.
///
/// Unchecked: memory is written only while it has a single owner. A ``ByteWriter`` gives it away whole, and a scanner's
/// window is read-only once it is filled. In a block on its way to the disk the commit thread writes the header and the
/// checksum, which no other thread reads.
final class Bytes: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 64)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  /// Lends a part of the memory and keeps the object alive until `body` returns.
  ///
  /// A pointer alone would not: the optimiser does not count what C reads through it as a use of the object, and may free
  /// the memory too early.
  @inline(__always)
  func withBytes<Result, Failure: Error>(
    _ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(offset >= 0 && count >= 0 && offset <= capacity - count)
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: base + offset, count: count))
  }

  /// Returns whether two parts of the same length are equal.
  static func equal(_ first: Bytes, _ start: Int, _ second: Bytes, _ other: Int, _ count: Int) -> Bool {
    first.withBytes(start, count) { left in
      second.withBytes(other, count) { right in left.elementsEqual(right) }
    }
  }

  /// Returns the checksum of a part of the memory.
  func checksum(_ offset: Int, _ count: Int, seed: UInt64) -> UInt64 {
    withBytes(offset, count) { Checksum.of($0, seed: seed) }
  }
}

/// The log's checksum, XXH3-64.
enum Checksum {
  /// Returns the checksum of bytes. The seed makes sure that bytes of another segment never match.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }
}
