import ScrollModel
internal import Varlink

/// The daemon's answer to appended events.
public struct AppendedEvents: Equatable, Sendable {
  /// The last event's position in the log; 0 when the log no longer has it.
  public var position: Position
  /// The number of the session's next event.
  public var nextNumber: Int64
  /// Whether the events are synced to disk.
  public var durable: Bool
  /// The log's generation, to which the position belongs.
  public var generation: Int64

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    position = try members.require("position", members.count("position"))
    nextNumber = try members.require("nextNumber", members.count("nextNumber"))
    durable = try members.require("durable", members.bool("durable"))
    generation = try members.require("generation", members.int("generation"))
  }
}
