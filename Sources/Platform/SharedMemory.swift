import CLinux
import Glibc

/// Memory that can outlive the process, as long as another process holds its descriptor (memfd_create(2)).
public final class SharedMemory {
  private let descriptor: FileDescriptor
  /// The mapped bytes.
  public let bytes: UnsafeMutableRawBufferPointer

  /// New memory of zeros.
  ///
  /// - Parameter name: The name that /proc shows.
  public init(name: String, size: Int) throws(Errno) {
    let number = memfd_create(name, UInt32(MFD_CLOEXEC))
    try check(number)
    let descriptor = FileDescriptor(number)
    try descriptor.borrowed.truncate(to: Int64(size))
    bytes = try Self.map(descriptor.borrowed, size: size)
    self.descriptor = descriptor
  }

  /// Memory that another process left.
  ///
  /// - Throws: ``Errno``, also for memory without bytes; the descriptor is closed then.
  public init(_ descriptor: consuming FileDescriptor) throws(Errno) {
    let size = try FileStatus(descriptor.borrowed).size
    guard size > 0 else { throw .invalidArgument }
    bytes = try Self.map(descriptor.borrowed, size: Int(size))
    self.descriptor = descriptor
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }

  /// The descriptor, valid while this object lives.
  public var borrowed: BorrowedDescriptor { descriptor.borrowed }

  /// Writes bytes at an offset, and makes the memory end with them. The mapping keeps its size.
  public func write(_ list: [UInt8], at start: Int) throws(Errno) {
    try borrowed.truncate(to: Int64(start))
    var written = 0
    while written < list.count {
      let count = list.withUnsafeBytes { bytes in
        Result { () throws(Errno) in
          try borrowed.write(UnsafeRawBufferPointer(rebasing: bytes[written...]), at: Int64(start + written))
        }
      }
      written += try count.get()
    }
  }

  private static func map(
    _ descriptor: BorrowedDescriptor, size: Int
  ) throws(Errno) -> UnsafeMutableRawBufferPointer {
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.rawValue, 0)
    guard let start, start != MAP_FAILED else { throw .last }
    return UnsafeMutableRawBufferPointer(start: start, count: size)
  }
}
