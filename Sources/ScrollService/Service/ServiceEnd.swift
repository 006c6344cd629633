// How the service came to its end.

/// How the service came to its end.
public enum ServiceEnd: Equatable, Sendable {
  /// All that was accepted is committed and answered, and the log is stopped in order.
  case stopped
  /// Writing or syncing the log failed: nothing more is acknowledged, and a new start recovers what the disk really has.
  case failed(String)
}
