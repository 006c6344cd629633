// An open file descriptor that somebody owns.

import Glibc

/// An open file descriptor that somebody owns: closed when the owner lets go.
public struct FileDescriptor: ~Copyable {
  /// The number that system calls take.
  public let rawValue: Int32

  /// Takes over an open descriptor.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// Lets calls on it fail with EAGAIN rather than wait (fcntl(2), O_NONBLOCK), and keeps it from programs that are started.
  ///
  /// - Throws: ``SystemError``.
  func setNonBlocking() throws(SystemError) { try Self.setNonBlocking(rawValue) }

  /// The same for the number of a descriptor that has no owner yet.
  static func setNonBlocking(_ rawValue: Int32) throws(SystemError) {
    let flags = fcntl(rawValue, F_GETFL)
    guard flags >= 0, fcntl(rawValue, F_SETFL, flags | O_NONBLOCK) >= 0, fcntl(rawValue, F_SETFD, FD_CLOEXEC) >= 0
    else {
      throw .last("change the flags of", "a descriptor")
    }
  }

  deinit { _ = close(rawValue) }
}
