// An open file descriptor that somebody owns.

import Glibc

/// An open file descriptor that somebody owns: closed when the owner lets go.
public struct FileDescriptor: ~Copyable {
  /// The number that system calls take.
  public let rawValue: Int32

  /// Takes over an open descriptor.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  deinit { _ = close(rawValue) }
}
