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
  /// What another program has done to the file, if that is the reason.
  public var interference: Interference?

  /// What another program has done to a file that is in use.
  public enum Interference: Equatable, Sendable {
    /// The path names no file: the file was removed or renamed, or its directory was.
    case removed
    /// The path names another file.
    case replaced
    /// The file has become smaller.
    case cut(from: Int64, to: Int64)
  }

  /// Creates an error.
  public init(_ operation: FileOperation, path: String, code: Errno, kind: FileKind? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.kind = kind == .regular ? nil : kind
  }

  /// Creates the error that another program has changed a file that is in use.
  init(_ interference: Interference, path: String) {
    self.init(.look, path: path, code: .noSuchFile)
    self.interference = interference
  }

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// The error as a phrase for people.
  public var description: String {
    switch interference {
    case .removed: return "another program has removed or renamed \(path) while it was in use"
    case .replaced: return "another program has put another file in the place of \(path) while it was in use"
    case .cut(let from, let to):
      return "another program has cut \(path) while it was in use: the file has \(to) bytes instead of \(from)"
    case nil: break
    }
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
