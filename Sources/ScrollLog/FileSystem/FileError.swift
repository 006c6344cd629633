/// A failed file operation: which one, on what, and why.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation.
  public var operation: FileOperation
  /// The path of the file or directory.
  public var path: String
  /// Why it failed.
  public var code: ErrorCode
  /// What is there instead of a regular file, if that is the reason.
  public var kind: FileKind?

  /// Creates an error.
  public init(_ operation: FileOperation, path: String, code: ErrorCode, kind: FileKind? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.kind = kind
  }

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// The error as a phrase for people.
  public var description: String {
    let reason = kind.map { "it is \($0.noun), not a regular file" } ?? "\(code)"
    return "cannot \(operation.verb) \(path): \(reason)"
  }
}
