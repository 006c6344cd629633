/// Why a backup can't be made, besides files that can't be read or written.
public enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There are files in the directory that it was to be made in.
  case notEmpty(String)
  /// There is no log in the state directory.
  case noLog(String)

  /// The text that people read.
  public var description: String {
    switch self {
    case .notEmpty(let path): "\(path) is not empty: a backup needs a directory of its own"
    case .noLog(let path): "\(path) holds no log"
    }
  }
}
