import Glibc

/// An error of a system call: the C library's `errno` (errno(3)).
public struct Errno: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int32

  /// The error with this number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The error of this thread's last failed system call.
  public static var last: Errno { Errno(rawValue: Glibc.errno) }

  /// `EACCES`
  public static let permissionDenied = Errno(rawValue: EACCES)
  /// `EADDRINUSE`
  public static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// `EAGAIN`, also of a lock that another process holds
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  /// `ECANCELED`
  public static let canceled = Errno(rawValue: ECANCELED)
  /// `ECONNABORTED`
  public static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// `ECONNREFUSED`
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// `ECONNRESET`
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  /// `EDQUOT`
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// `EEXIST`
  public static let fileExists = Errno(rawValue: EEXIST)
  /// `EINTR`
  public static let interrupted = Errno(rawValue: EINTR)
  /// `EINVAL`
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// `EIO`
  public static let inputOutput = Errno(rawValue: EIO)
  /// `EISDIR`
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// `ENAMETOOLONG`
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// `ENOENT`
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// `ENOMEM`
  public static let outOfMemory = Errno(rawValue: ENOMEM)
  /// `ENOSPC`
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// `ENOTDIR`
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// `ENOTSOCK`
  public static let notSocket = Errno(rawValue: ENOTSOCK)
  /// `ENXIO`, also what open(2) answers for a socket
  public static let noSuchDevice = Errno(rawValue: ENXIO)
  /// `EOPNOTSUPP`
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// `EPIPE`
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// `ERANGE`
  public static let outOfRange = Errno(rawValue: ERANGE)
  /// `ETIMEDOUT`
  public static let timedOut = Errno(rawValue: ETIMEDOUT)

  /// The C library's text for the error (strerror_r(3)).
  public var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(rawValue, start, buffer.count) == 0 else {
        return "error \(rawValue)"
      }
      return String(cString: start)
    }
  }
}
