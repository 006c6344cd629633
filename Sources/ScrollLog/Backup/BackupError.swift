/// Why a backup cannot be made, other than file operations that fail.
public enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The target directory is not empty.
  case notEmpty(String)
  /// The state directory holds no log.
  case noLog(String)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .notEmpty(let path): "\(path) is not empty; a backup needs an empty or new directory"
    case .noLog(let path): "\(path) holds no log"
    }
  }
}
