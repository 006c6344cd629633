// How the service came to its end.

import ScrollLog

/// How the service came to its end.
public enum ServiceEnd: Equatable, Sendable {
  /// All that was accepted is committed and answered, and the log is stopped in order.
  case stopped
  /// A part of the log that the start did not read is damaged.
  case damaged(LogDamage)
  /// Writing or syncing the log failed: nothing more is acknowledged, and a new start recovers what the disk really has.
  case failed(String)
}
