// A system call that failed.

import Glibc

/// A system call that failed: what was tried, on what, and the error number.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, such as `open`.
  public var operation: String
  /// The path or other object that it was tried on; may be empty.
  public var object: String
  /// The C library's error number.
  public var code: Int32

  /// An error of its three parts.
  public init(_ operation: String, _ object: String, code: Int32) {
    self.operation = operation
    self.object = object
    self.code = code
  }

  /// The error that the C library's `errno` stands at.
  public static func last(_ operation: String, _ object: String = "") -> SystemError {
    SystemError(operation, object, code: errno)
  }

  /// What the error number means.
  public var message: String { String(cString: strerror(code)) }

  /// The text for people.
  public var description: String {
    object.isEmpty ? "\(operation): \(message)" : "cannot \(operation) \(object): \(message)"
  }
}

/// Repeats a system call that a signal interrupted.
///
/// - Returns: The call's result, never one that failed with EINTR.
func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
