import ScrollModel

/// Why a log cannot be opened.
public enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process has the log open; the path is that of the lock.
  case locked(path: String)
  /// Bytes that were synced are bad, and the log has to be repaired first.
  case damaged(LogDamage)
  /// A segment belongs to another log, and no repair can tell which.
  case foreign(LogDamage)
  /// A file operation failed.
  case file(FileError)
  /// Writing the start mark failed.
  case write(WriteError)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .locked(let path): "another process has the log open and holds the lock \(path)"
    case .damaged(let damage): "the log is damaged: \(damage)"
    case .foreign(let damage): "\(damage); move the one that does not belong here out of the directory"
    case .file(let error): fix.map { "\(error); \($0)" } ?? "\(error)"
    case .write(let error): "\(error)"
    }
  }

  /// Whether something other than a regular file has the name of a segment or of the lock. No later start succeeds until it is
  /// moved away.
  public var isNoFile: Bool { fix != nil }

  /// What to do by hand about something other than a regular file in the place of one; `nil` after other errors. No repair moves
  /// it: behind a link or in a directory may be the records, and without them those of other files are out of reach.
  public var fix: String? {
    guard case .file(let error) = self, error.kind != nil else { return nil }
    guard error.path.hasSuffix(SegmentName.suffix) else { return "move it away; the daemon makes a new file" }
    return "move it away, and put the log's file back in its place; without the file, its records are lost"
  }

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool {
    switch self {
    case .file(let error): error.isNoSpace
    case .write(.noSpace): true
    case .locked, .damaged, .foreign, .write: false
    }
  }
}
