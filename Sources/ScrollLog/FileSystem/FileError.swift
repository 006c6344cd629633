// A file operation that failed.

/// A file operation that failed: which, on what, and why.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried.
  public var operation: FileOperation
  /// The file or directory, as a path.
  public var path: String
  /// Why it failed.
  public var code: ErrorCode

  /// A failure of an operation on a path.
  public init(_ operation: FileOperation, path: String, code: ErrorCode) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Whether the disk, or the user's share of it, is full.
  public var isNoSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// The text that people read.
  public var description: String { "cannot \(operation.verb) \(path): \(code)" }
}
