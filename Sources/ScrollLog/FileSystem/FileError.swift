// A file operation that failed.

/// A file operation that failed: which, on what, and why.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried.
  public var operation: FileOperation
  /// The file or directory, as a path.
  public var path: String
  /// Why it failed.
  public var code: ErrorCode
  /// What stands there and can't be used as a file, where that is why.
  public var kind: FileKind?

  /// A failure of an operation on a path.
  public init(_ operation: FileOperation, path: String, code: ErrorCode, kind: FileKind? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.kind = kind
  }

  /// Whether the disk, or the user's share of it, is full.
  public var isNoSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// The text that people read.
  public var description: String {
    let reason = kind.map { "it is \($0.noun), not a regular file" } ?? "\(code)"
    return "cannot \(operation.verb) \(path): \(reason)"
  }
}
