/// Why a backup cannot be made, other than file operations that fail.
public enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The target directory is not empty.
  case notEmpty(String)
  /// The state directory to restore to has a log.
  case hasLog(String)
  /// Records of the backup are damaged.
  case damaged(LogDamage)
  /// The state directory holds no log.
  case noLog(String)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .notEmpty(let path): "\(path) is not empty; a backup needs an empty or new directory"
    case .hasLog(let path): "\(path) exists and is not empty"
    case .damaged(let damage): "the backup is damaged: \(damage)"
    case .noLog(let path): "\(path) holds no log"
    }
  }
}
