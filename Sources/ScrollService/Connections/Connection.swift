// One connection: its peer, its protocol state, and the stream that it may have.

import ScrollModel
import Varlink

/// One connection: its peer, its protocol state, and the stream that it may have.
final class Connection {
  /// Names a connection for as long as the daemon runs.
  typealias ID = UInt64

  let id: ID
  let peer: Peer
  /// What its user takes of the daemon.
  let share: UserShare
  let varlink: ServerConnection
  /// The call that makes those behind it wait, and goes on over many turns of the loop.
  var stream: (any ReplyStream)?
  /// The sessions that end with this connection, unless another one has taken them over.
  var ownedSessions: Set<SessionID> = []
  /// The sessions that it has sent events for.
  var fedSessions: Set<SessionID> = []
  /// It has made a call that was taken.
  var hasCalled = false
  /// The position of the last record that came over this connection; what it asks for later sees it.
  var lastPosition: Position = 0
  /// When something was last given out for sending, by the monotonic clock in microseconds.
  var lastOutput: Int64
  /// Its calls wait until its peer has taken what it was sent.
  var isHeldBack = false
  /// Its stream waits until its peer has taken what it was sent.
  var isStreamHeldBack = false
  /// There may be further calls to take, in the next turns.
  var hasMoreCalls = false
  /// Its calls wait for its user's budget of events.
  var waitsForBudget = false
  /// What it was last counted to hold, in bytes.
  var countedBytes = 0
  /// Whether there is output that the loop has not been told of.
  var isDirty = false

  init(id: ID, peer: Peer, share: UserShare, _ varlink: ServerConnection, now: Int64) {
    self.id = id
    self.peer = peer
    self.share = share
    self.varlink = varlink
    lastOutput = now
  }
}
