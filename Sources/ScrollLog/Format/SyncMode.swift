/// When written records are made to survive a power loss.
public enum SyncMode: Equatable, Sendable {
  /// Before they are acknowledged.
  case commit
  /// At most this many microseconds after they were written.
  case interval(microseconds: Int64)
  /// Whenever the operating system writes them back.
  case never

  /// The mode's code in the log.
  var code: UInt8 {
    switch self {
    case .commit: 0
    case .interval: 1
    case .never: 2
    }
  }
}
