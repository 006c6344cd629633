import ScrollModel
import Varlink

/// Everything about a connection that outlives the daemon, apart from its socket.
///
/// It is enough for the next daemon to continue the connection without its peer noticing.
struct ConnectionState: Equatable, Sendable {
  /// A call that is answered until one side ends it.
  enum Stream: Equatable, Sendable {
    case subscription(SubscriptionState)
    case requests(RequestsState)
  }

  /// The bytes that were received and not processed, and those that are not sent.
  var wire = SuspendedConnection()
  /// The position of the last record that came over the connection.
  var lastPosition: Position = 0
  /// The sessions that close with the connection.
  var ownedSessions: [SessionID] = []
  /// The sessions that the connection feeds and in which a oneway call was refused. Events without a number are refused
  /// there.
  var gappedSessions: [SessionID] = []
  /// The call under way, if it is a stream.
  var stream: Stream?
}

/// The state of a subscription that outlives the daemon.
struct SubscriptionState: Equatable, Sendable {
  /// The patterns of the clients that the subscription covers; empty for all clients.
  var patterns: [String]
  var wantsFrames: Bool
  /// The access that the subscriber had when the subscription began.
  var seesEveryone: Bool
  /// The last position of which everything was sent.
  var position: Position
  /// The generation that the position belongs to.
  var generation: Int64
  /// Whether the subscription still replays the log from where its caller asked, with a frame for each event if it
  /// wants frames.
  var isCatchingUp: Bool
  /// Whether `caughtUp` is still to be sent.
  var owesCaughtUp: Bool
  /// The sessions of which a newer frame is to be sent.
  var owedFrames: [SessionID] = []
  /// The openings of the sessions whose present states are still to be sent; `nil` if all were sent.
  var unpresented: Openings?

  /// The openings after a position and up to another one.
  struct Openings: Equatable, Sendable {
    var after: Position
    var through: Position
  }
}

/// The state of a client's stream of scroll requests that outlives the daemon.
struct RequestsState: Equatable, Sendable {
  /// A request that the client has not answered.
  struct Unanswered: Equatable, Sendable {
    var position: Position
    var request: ScrollRequest
  }

  var session: SessionID
  /// Whether the first reply was sent, which confirms the stream.
  var hasBegun: Bool
  /// The position of the last request that was sent.
  var sent: Position
  var unanswered: [Unanswered]
}
