import ScrollModel
internal import Varlink

/// One reply of a subscription: what happened, and the position that the stream has reached.
public struct SubscriptionReply: Equatable, Sendable {
  /// A session that began.
  public struct Opened: Equatable, Sendable {
    /// The client's name.
    public var client: String
    /// The client's user id.
    public var user: UInt32
    /// The session.
    public var session: SessionID
    /// When it began, by the daemon's clock.
    public var time: UnixMicroseconds
    /// The application's name and version, as text for people.
    public var application: String?
    /// The title of what the client shows, as text for people.
    public var title: String?
    /// The name of the session's policy.
    public var policy: String
  }

  /// A session that ended.
  public struct Closed: Equatable, Sendable {
    /// The client's name.
    public var client: String
    /// The client's user id.
    public var user: UInt32
    /// The session.
    public var session: SessionID
    /// When it ended, by the daemon's clock.
    public var time: UnixMicroseconds
    /// Why it ended: `asked`, `reopened`, `idle`, `disconnected` or `forgotten`.
    public var reason: String
  }

  /// What happened.
  public enum Content: Equatable, Sendable {
    /// A session began.
    case opened(Opened)
    /// A session ended.
    case closed(Closed)
    /// A client's state: at the beginning and, with detail `frames`, after each event that the reader keeps up with.
    case state(StateReport)
    /// A watched field changed.
    case transition(TransitionReport)
    /// Everything that the log held when the subscription began has been sent. Positions belong to this generation of the
    /// log.
    case caughtUp(generation: Int64?)
    /// Nothing happened; the daemon is alive.
    case heartbeat
  }

  /// The position of the log that the stream has reached.
  public var position: Position
  /// What happened.
  public var content: Content

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    position = try members.require("position", members.count("position"))
    if let opened = members.members("opened") {
      content = .opened(try Opened(opened))
    } else if let closed = members.members("closed") {
      content = .closed(try Closed(closed))
    } else if let state = members.members("state") {
      content = .state(try StateReport(state))
    } else if let transition = members.members("transition") {
      content = .transition(try TransitionReport(transition))
    } else if members.bool("caughtUp") == true {
      content = .caughtUp(generation: members.int("generation"))
    } else {
      content = .heartbeat
    }
  }
}

extension SubscriptionReply.Opened {
  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    time = try members.require("time", members.time("time"))
    application = members.string("application")
    title = members.string("title")
    policy = try members.require("policy", members.string("policy"))
  }
}

extension SubscriptionReply.Closed {
  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    time = try members.require("time", members.time("time"))
    reason = try members.require("reason", members.string("reason"))
  }
}
