import ScrollModel

/// A moment of the log.
public enum LogMoment: Equatable, Sendable {
  /// Right after the record at a position.
  case position(Position)
  /// At a time by the daemon's clock.
  case time(UnixMicroseconds)
}
