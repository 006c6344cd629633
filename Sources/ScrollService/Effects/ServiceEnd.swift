import ScrollLog

/// The reason why the service has ended.
public enum ServiceEnd: Equatable, Sendable {
  /// The service was asked to stop: everything that it accepted is committed and answered, and the log is closed.
  case stopped
  /// A part of the log that was not read at the start is damaged.
  case damaged(LogDamage)
  /// A write or a sync of the log failed. Nothing more is acknowledged, and the next start recovers what the disk
  /// really has.
  case failed(String)
}
