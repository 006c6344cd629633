import ScrollModel
internal import Varlink

/// A session that is open for events.
public struct OpenedSession: Equatable, Sendable {
  /// The session's id.
  public var session: SessionID
  /// The number of the session's next event: one more than it has events.
  public var nextNumber: Int64
  /// The log's generation, to which positions belong.
  public var generation: Int64

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    session = try members.require("session", members.session("session"))
    nextNumber = try members.require("nextNumber", members.count("nextNumber"))
    generation = try members.require("generation", members.int("generation"))
  }
}
