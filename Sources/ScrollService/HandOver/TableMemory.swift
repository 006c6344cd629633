// The memory of a table, which outlives the process that wrote it.

import CSystemd
import Glibc

/// The memory of a table (memfd_create(2)): mapped here, and kept by the service manager's store when this process is gone.
final class TableMemory {
  private let descriptor: FileDescriptor
  /// What is mapped.
  let bytes: UnsafeMutableRawBufferPointer

  /// New memory of zeros.
  ///
  /// - Throws: ``SystemError``.
  init(size: Int) throws(SystemError) {
    let number = memfd_create("scrolld", UInt32(MFD_CLOEXEC))
    guard number >= 0 else { throw .last("make memory to hand over") }
    let descriptor = FileDescriptor(number)
    guard ftruncate(number, off_t(size)) == 0 else { throw .last("make room in", "memory to hand over") }
    bytes = try Self.map(number, size: size)
    self.descriptor = descriptor
  }

  /// The memory that another process left.
  ///
  /// - Throws: ``SystemError`` when it can't be mapped; the descriptor is closed then.
  init(left descriptor: consuming FileDescriptor) throws(SystemError) {
    var status = stat()
    let number = descriptor.rawValue
    guard fstat(number, &status) == 0 else { throw .last("look at", "memory that was handed over") }
    guard status.st_size > 0 else { throw SystemError("map", "memory that was handed over", code: EINVAL) }
    bytes = try Self.map(number, size: Int(status.st_size))
    self.descriptor = descriptor
  }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
  }

  /// The number that system calls take.
  var rawValue: Int32 { descriptor.rawValue }

  /// Writes bytes behind a place, which makes the memory as large as needed; what is mapped stays as large as it was.
  ///
  /// - Throws: ``SystemError``.
  func write(_ list: [UInt8], at start: Int) throws(SystemError) {
    guard ftruncate(rawValue, off_t(start)) == 0 else { throw .last("make room in", "memory to hand over") }
    var written = 0
    while written < list.count {
      let count = list.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        return retryingInterrupts { pwrite(rawValue, rest.baseAddress, rest.count, off_t(start + written)) }
      }
      guard count > 0 else { throw .last("write to", "memory to hand over") }
      written += count
    }
  }

  private static func map(_ descriptor: Int32, size: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
      throw .last("map", "memory to hand over")
    }
    return UnsafeMutableRawBufferPointer(start: start, count: size)
  }
}
