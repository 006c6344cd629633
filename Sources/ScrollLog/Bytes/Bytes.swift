// Raw memory with a reference count: the one place where the log allocates it.

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

  /// The checksum of a part of the memory.
  func checksum(_ offset: Int, _ count: Int, seed: UInt64) -> UInt64 {
    // XXH3 is declared pure, so the optimiser, which sees no reason to keep the object for it, would free the memory of
    // an object that is not used afterwards before it is read.
    withExtendedLifetime(self) { Checksum.of(buffer(offset, count), seed: seed) }
  }

  /// A part of the memory, valid while this object is.
  func buffer(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    precondition(offset >= 0 && count >= 0 && offset <= capacity - count)
    return UnsafeRawBufferPointer(start: base + offset, count: count)
  }
}
