internal import JSON
import ScrollModel

/// Which of the log's records to read. Conditions add up; without any, all records.
public struct LogQuery: Equatable, Sendable {
  /// Only records of this session.
  public var session: SessionID?
  /// Only records of the client of this name.
  public var client: String?
  /// Only records of this user's clients.
  public var user: UInt32?
  /// Only records after this position.
  public var after: Position?
  /// At most this many records.
  public var limit: Int64?

  /// Creates a query for all records.
  public init() {}

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("session", ifPresent: session?.description)
    writer.member("client", ifPresent: client)
    writer.member("user", ifPresent: user)
    writer.member("after", ifPresent: after)
    writer.member("limit", ifPresent: limit)
  }
}
