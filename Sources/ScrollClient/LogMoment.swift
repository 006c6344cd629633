// A moment of the log.

import ScrollModel

/// A moment of the log.
public enum LogMoment: Equatable, Sendable {
  /// After the record at a position.
  case position(Position)
  /// At a time, microseconds since the Unix epoch by the daemon's clock.
  case time(Int64)
}
