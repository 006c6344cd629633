import Platform

/// A failed file operation: which one, on what, and why.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation.
  public var operation: FileOperation
  /// The path of the file or directory.
  public var path: String
  /// Why it failed.
  public var code: Errno
  /// What is there instead of a regular file, if that is the reason.
  public var kind: FileKind?

  /// Creates an error.
  public init(_ operation: FileOperation, path: String, code: Errno, kind: FileKind? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.kind = kind == .regular ? nil : kind
  }

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// The error as a phrase for people.
  public var description: String {
    let reason = kind.map { "it is \($0.noun), not a regular file" } ?? "\(code)"
    return "cannot \(operation.verb) \(path): \(reason)"
  }
}

extension FileKind {
  /// The kind as a noun.
  var noun: String {
    switch self {
    case .regular: "a regular file"
    case .directory: "a directory"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .device: "a device"
    case .symbolicLink: "a symbolic link"
    }
  }
}
