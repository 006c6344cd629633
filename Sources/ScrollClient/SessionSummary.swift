internal import JSON
import ScrollModel
internal import Varlink

/// What a session of the log comes to.
public struct SessionSummary: Equatable, Sendable {
  /// The client's name.
  public var client: String
  /// The client's user id.
  public var user: UInt32
  /// The session.
  public var session: SessionID
  /// The application's name and version.
  public var application: String?
  /// The title of what the client showed.
  public var title: String?
  /// The name of the session's policy.
  public var policy: String
  /// The position of the opening.
  public var position: Position
  /// When the session was opened, by the client's clock if it gave a time.
  public var opened: UnixMicroseconds
  /// When the daemon received the opening.
  public var received: UnixMicroseconds
  /// When the daemon received the last record.
  public var lastReceived: UnixMicroseconds
  /// When the session was closed; `nil` while it is open.
  public var closed: UnixMicroseconds?
  /// Why the session was closed; `nil` while it is open, and when this library does not know the reason.
  public var reason: Closing.Reason?
  /// Whether the log has the session's beginning.
  public var isWhole: Bool
  /// The number of events.
  public var events: Int64
  /// The time from the first event to the last or to the closing, in microseconds; `nil` when unknown, as the following are.
  public var duration: Int64?
  /// How much of the content was ever on screen, from 0 to 1.
  public var reach: Double?
  /// How often the toolbar turned.
  public var flips: Int64?
  /// How many flips undid another one within 300 ms.
  public var flickers: Int64?
  /// The summary as JSON, in the daemon's form.
  public var json: String

  /// Reads a summary.
  ///
  /// - Returns: `nil` for a reply without one, which the daemon sends when no session matches.
  init?(reply: ReplyMembers) throws(ReplyMembers.Unexpected) {
    guard let value = reply.value("summary"), let members = reply.members("summary") else { return nil }
    try self.init(members, json: String(decoding: JSONWriter.encode { value.write(to: &$0) }, as: UTF8.self))
  }

  private init(_ members: ReplyMembers, json: String) throws(ReplyMembers.Unexpected) {
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    application = try members.allow("application", members.string)
    title = try members.allow("title", members.string)
    policy = try members.require("policy", members.string("policy"))
    position = try members.require("position", members.count("position"))
    opened = try members.require("opened", members.time("opened"))
    received = try members.require("received", members.time("received"))
    lastReceived = try members.require("lastReceived", members.time("lastReceived"))
    closed = try members.allow("closed", members.time)
    let reasonName = try members.allow("reason", members.string)
    reason = reasonName.flatMap { name in Closing.Reason.allCases.first { "\($0.name)" == name } }
    isWhole = try members.require("whole", members.bool("whole"))
    events = try members.require("events", members.count("events"))
    duration = try members.allow("duration", members.count)
    reach = try members.allow("reach", members.share)
    flips = try members.allow("flips", members.count)
    flickers = try members.allow("flickers", members.count)
    self.json = json
  }
}
