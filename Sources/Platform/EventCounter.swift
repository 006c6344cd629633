import CLinux
import Glibc

/// A counter that one thread increments to wake another (eventfd(2)).
public final class EventCounter: Sendable {
  private let descriptor: FileDescriptor

  /// A counter at 0.
  public init() throws(Errno) {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    try check(number)
    descriptor = FileDescriptor(number)
  }

  /// The descriptor, readable while the counter is above 0.
  public var borrowed: BorrowedDescriptor { descriptor.borrowed }

  /// Increments the counter.
  public func increment() { eventfd_write(descriptor.rawValue, 1) }

  /// Sets the counter to 0.
  public func reset() {
    var count: eventfd_t = 0
    // A counter at 0 can't be read, which changes nothing.
    _ = eventfd_read(descriptor.rawValue, &count)
  }
}
