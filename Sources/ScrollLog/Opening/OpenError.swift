import ScrollModel

/// Why a log cannot be opened.
public enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process has the log open; the path is its lock's.
  case locked(path: String)
  /// Bytes that were synced are bad: the log must be repaired first.
  case damaged(LogDamage)
  /// A file operation failed.
  case file(FileError)
  /// Writing the mark of this start failed.
  case write(WriteError)

  /// The text that people read.
  public var description: String {
    switch self {
    case .locked(let path): "another process has the log open: it holds the lock \(path)"
    case .damaged(let damage): "the log is damaged: \(damage)"
    case .file(let error): "\(error)"
    case .write(let error): "\(error)"
    }
  }

  /// Whether something else than a file stands where one should: no later start fares better until it is taken away.
  public var isNoFile: Bool {
    if case .file(let error) = self { error.kind != nil } else { false }
  }

  /// Whether it was for want of space on the disk.
  public var isNoSpace: Bool {
    switch self {
    case .file(let error): error.isNoSpace
    case .write(.noSpace): true
    case .locked, .damaged, .write: false
    }
  }
}
