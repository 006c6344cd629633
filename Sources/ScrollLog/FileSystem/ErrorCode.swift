// errno as a type.

import Glibc

/// The C library's `errno`.
public struct ErrorCode: RawRepresentable, Error, Equatable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int32

  /// An error code of its number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `ENOSPC`: no space left.
  public static let noSpace = ErrorCode(rawValue: ENOSPC)
  /// `EDQUOT`: the user's share of the disk is used up.
  public static let quotaExceeded = ErrorCode(rawValue: EDQUOT)
  /// `EIO`: the device failed.
  public static let inputOutput = ErrorCode(rawValue: EIO)
  /// `ENOENT`: there is no such file.
  public static let noSuchFile = ErrorCode(rawValue: ENOENT)
  /// `EEXIST`: there is such a file already.
  public static let exists = ErrorCode(rawValue: EEXIST)
  /// `EACCES`: not allowed.
  public static let permissionDenied = ErrorCode(rawValue: EACCES)
  /// `ECANCELED`: given up before it was done.
  public static let canceled = ErrorCode(rawValue: ECANCELED)
  /// No error.
  static let success = ErrorCode(rawValue: 0)
  /// `EINTR`: a signal came first.
  static let interrupted = ErrorCode(rawValue: EINTR)
  /// `EAGAIN`: somebody else holds the lock.
  static let wouldBlock = ErrorCode(rawValue: EAGAIN)
  /// `EOPNOTSUPP`: the file system cannot do it.
  static let notSupported = ErrorCode(rawValue: EOPNOTSUPP)
  /// `EINVAL`: the file system cannot do it, or the call made no sense.
  static let invalid = ErrorCode(rawValue: EINVAL)

  /// The error of the system call that failed last on this thread.
  static var last: ErrorCode { ErrorCode(rawValue: errno) }

  /// The text that people read.
  public var description: String {
    // The message is cut to the buffer and ends with a zero; the C library's are all shorter.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(rawValue, start, buffer.count) == 0 else {
        return "error \(rawValue)"
      }
      return String(cString: start)
    }
  }
}
