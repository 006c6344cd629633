// What became of appended events.

import ScrollModel

/// What became of appended events.
public struct AppendedEvents: Equatable, Sendable {
  /// The last event's place in the log; 0 when the log no longer has it.
  public var position: Position
  /// The number that the next event gets.
  public var nextNumber: Int64
  /// Whether the events are synced to disk.
  public var durable: Bool
  /// The history of the log that the position belongs to.
  public var generation: Int64
}
