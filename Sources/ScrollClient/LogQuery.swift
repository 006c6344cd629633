// Which of the log's records are asked for.

import JSON
import ScrollModel

/// Which of the log's records are asked for: all past a position, of a session, of a client, or of all.
public struct LogQuery: Equatable, Sendable {
  /// Only this session's.
  public var session: SessionID?
  /// Only this client's.
  public var client: String?
  /// Only this user's.
  public var user: UInt32?
  /// Only past this position.
  public var after: Position?
  /// At most so many.
  public var limit: Int64?

  /// A query for all records.
  public init() {}

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("session", ifPresent: session?.description)
    writer.member("client", ifPresent: client)
    writer.member("user", ifPresent: user)
    writer.member("after", ifPresent: after)
    writer.member("limit", ifPresent: limit)
  }
}
