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

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    position = try members.require("position", members.int("position"))
    nextNumber = try members.require("nextNumber", members.int("nextNumber"))
    durable = try members.require("durable", members.bool("durable"))
    generation = try members.require("generation", members.int("generation"))
  }
}
