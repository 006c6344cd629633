import CLinux
import Glibc

/// Memory of the C library.
public enum Memory {
  /// From which size on memory is the kernel's as soon as it is freed, in bytes.
  public static let returnedSize = 1 << 20

  /// Returns large memory to the kernel whenever it is freed (mallopt(3)).
  ///
  /// By default, the C library raises its limits with the largest memory that was ever freed, and keeps as much for later. A
  /// daemon that now and then needs much for a moment would have it for good.
  public static func returnWhatIsFreed() {
    // An older or another C library may not know them, and works without.
    _ = mallopt(M_MMAP_THRESHOLD, Int32(returnedSize))
    _ = mallopt(M_TRIM_THRESHOLD, Int32(2 * returnedSize))
  }

  /// Resizes memory, or allocates it for `nil` (realloc(3)). The kernel moves large blocks without copying them.
  ///
  /// - Returns: The memory, which begins with the old bytes; `nil` when there is not enough, and then the old memory
  ///   stays.
  public static func resize(_ memory: UnsafeMutableRawPointer?, to byteCount: Int) -> UnsafeMutableRawPointer? {
    realloc(memory, byteCount)
  }

  /// Frees memory of ``resize(_:to:)`` or of a C library (free(3)).
  public static func free(_ memory: UnsafeMutableRawPointer?) { Glibc.free(memory) }

  /// Returns whether two places hold the same bytes (memcmp(3)).
  @inlinable
  public static func isEqual(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, count: Int) -> Bool {
    memcmp(first, second, count) == 0
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first `byte` at or after `start`; `nil` when no such byte exists (memchr(3)).
  public func firstOffset(of byte: UInt8, from start: Int = 0) -> Int? {
    guard let base = baseAddress, start < count else { return nil }
    return memchr(base + start, Int32(byte), count - start).map { base.distance(to: UnsafeRawPointer($0)) }
  }
}
