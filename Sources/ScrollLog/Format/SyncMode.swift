/// When what was written is made to survive a power loss.
public enum SyncMode: Equatable, Sendable {
  /// Before anything is acknowledged.
  case commit
  /// At most this many microseconds after it was written.
  case interval(microseconds: Int64)
  /// When the operating system likes.
  case never

  /// The mode's number in the log.
  var code: UInt8 {
    switch self {
    case .commit: 0
    case .interval: 1
    case .never: 2
    }
  }
}
