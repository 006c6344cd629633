// A session that is open for events.

import ScrollModel

/// A session that is open for events.
public struct OpenedSession: Equatable, Sendable {
  /// The session's id.
  public var session: SessionID
  /// The number that the next event gets: how many are stored, plus 1.
  public var nextNumber: Int64
  /// The history of the log that positions belong to.
  public var generation: Int64

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    session = try members.require("session", members.session("session"))
    nextNumber = try members.require("nextNumber", members.int("nextNumber"))
    generation = try members.require("generation", members.int("generation"))
  }
}
