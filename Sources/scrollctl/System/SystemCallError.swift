// A system call that failed.

import Glibc

/// A system call that failed: what was tried, on what, and the errno.
struct SystemCallError: Error, Equatable, CustomStringConvertible {
  /// What was tried, worded to follow “cannot”: `open`.
  var operation: String
  /// What it was tried on.
  var object: String
  var code: Int32

  /// The error that errno stands at.
  static func last(_ operation: String, _ object: String) -> SystemCallError {
    SystemCallError(operation: operation, object: object, code: errno)
  }

  var description: String { "cannot \(operation) \(object): \(String(cString: strerror(code)))" }
}
