import Glibc

/// The C library's `errno`.
public struct ErrorCode: RawRepresentable, Error, Equatable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int32

  /// Creates an error code.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `ENOSPC`: no space left.
  public static let noSpace = ErrorCode(rawValue: ENOSPC)
  /// `EDQUOT`: the user's quota is exceeded.
  public static let quotaExceeded = ErrorCode(rawValue: EDQUOT)
  /// `EIO`: the device failed.
  public static let inputOutput = ErrorCode(rawValue: EIO)
  /// `ENOENT`: no such file or directory.
  public static let noSuchFile = ErrorCode(rawValue: ENOENT)
  /// `EEXIST`: the file exists.
  public static let exists = ErrorCode(rawValue: EEXIST)
  /// `EACCES`: permission denied.
  public static let permissionDenied = ErrorCode(rawValue: EACCES)
  /// `ECANCELED`: the operation was cancelled.
  public static let canceled = ErrorCode(rawValue: ECANCELED)
  /// No error.
  static let success = ErrorCode(rawValue: 0)
  /// `EINTR`: a signal interrupted the call.
  static let interrupted = ErrorCode(rawValue: EINTR)
  /// `EAGAIN`: another process holds the lock.
  static let wouldBlock = ErrorCode(rawValue: EAGAIN)
  /// `EOPNOTSUPP`: the file system does not support the operation.
  static let notSupported = ErrorCode(rawValue: EOPNOTSUPP)
  /// `EINVAL`: the file system does not support the operation, or an argument is invalid.
  static let invalid = ErrorCode(rawValue: EINVAL)

  /// The error of the last failed system call on this thread.
  static var last: ErrorCode { ErrorCode(rawValue: errno) }

  /// The message of the C library.
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
