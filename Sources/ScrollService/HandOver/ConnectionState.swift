// What of a connection outlives the daemon.

import ScrollModel
import Varlink

/// What of a connection outlives the daemon, besides its socket: all that the next one needs to go on with it as if it were
/// the same.
struct ConnectionState: Equatable, Sendable {
  /// The call that goes on without end.
  enum Stream: Equatable, Sendable {
    case subscription(SubscriptionState)
    case requests(RequestsState)
  }

  /// Bytes received and to be sent.
  var wire = SuspendedConnection()
  /// The position of the last record that came over it.
  var lastPosition: Position = 0
  /// The sessions that end with it.
  var ownedSessions: [SessionID] = []
  /// The sessions that it feeds and in which a oneway call was refused: what follows without a number is refused, too.
  var gappedSessions: [SessionID] = []
  /// The call that goes on without end.
  var stream: Stream?
}

/// What of a subscription outlives the daemon.
struct SubscriptionState: Equatable, Sendable {
  /// The patterns of the clients that it is for; none for all.
  var patterns: [String]
  var wantsFrames: Bool
  /// The access that it was granted when it began.
  var seesEveryone: Bool
  /// The last position that it has got everything of.
  var position: Position
  /// The generation that the position is of.
  var generation: Int64
  /// It still reads what it asked for, with each event's frame where it wants frames.
  var isCatchingUp: Bool
  /// `caughtUp` is still to be sent.
  var owesCaughtUp: Bool
  /// The sessions of which a newer frame is to be sent.
  var owedFrames: [SessionID] = []
}

/// What of a client's stream of scroll requests outlives the daemon.
struct RequestsState: Equatable, Sendable {
  /// A request that the client has not answered.
  struct Unanswered: Equatable, Sendable {
    var position: Position
    var request: ScrollRequest
  }

  var session: SessionID
  /// Its first reply, which says that it stands, was sent.
  var hasBegun: Bool
  /// The position of the last request that was sent.
  var sent: Position
  var unanswered: [Unanswered]
}
