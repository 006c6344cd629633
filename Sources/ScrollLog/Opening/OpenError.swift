import ScrollModel

/// Why a log cannot be opened.
public enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process has the log open; the path is that of the lock.
  case locked(path: String)
  /// Bytes that were synced are bad, and the log has to be repaired first.
  case damaged(LogDamage)
  /// A file operation failed.
  case file(FileError)
  /// Writing the start mark failed.
  case write(WriteError)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .locked(let path): "another process has the log open and holds the lock \(path)"
    case .damaged(let damage): "the log is damaged: \(damage)"
    case .file(let error): "\(error)"
    case .write(let error): "\(error)"
    }
  }

  /// Whether something other than a regular file has the name of a segment. No later start succeeds until it is removed.
  public var isNoFile: Bool {
    if case .file(let error) = self { error.kind != nil } else { false }
  }

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool {
    switch self {
    case .file(let error): error.isNoSpace
    case .write(.noSpace): true
    case .locked, .damaged, .write: false
    }
  }
}
