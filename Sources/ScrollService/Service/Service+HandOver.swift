// Connections that go on with the next daemon.

import ScrollLog
import ScrollModel
import Varlink

extension Service {
  /// Whether a connection is worth keeping for the next daemon: it has made a call that was taken. So a flood of connections
  /// that never call doesn't take the place of others.
  func isWorthKeeping(_ id: UInt64) -> Bool { connections[id]?.hasCalled ?? false }

  /// What a connection is at, when it is at rest: no call is under way, all that came over it is committed, nothing waits
  /// to be sent, and a stream has told all there is. `nil` when it is not.
  func stateAtRest(of id: UInt64) -> ConnectionState? {
    guard let connection = connections[id], connection.varlink.isAtRest, isCommitted(connection.lastPosition) else {
      return nil
    }
    guard let stream = connection.stream else { return state(of: connection, connection.varlink.suspended(), nil) }
    guard let rest = stream.rest(self) else { return nil }
    return state(of: connection, connection.varlink.suspended(), rest)
  }

  /// The connections of which something changed since this was called last that is handed over, though nothing was sent.
  func takeChangedAtRest() -> [UInt64] {
    defer { changedAtRest.removeAll() }
    return changedAtRest
  }

  /// What a connection is at, after the service has stopped. `nil` when it can't go on and has to end.
  func finalState(of id: UInt64) -> ConnectionState? {
    guard let connection = connections[id] else { return nil }
    guard let stream = connection.stream else { return state(of: connection, connection.varlink.suspended(), nil) }
    switch stream.handOver(self, connection) {
    case .goesOn(let stream): return state(of: connection, connection.varlink.suspended(), stream)
    case .beginsAnew: return state(of: connection, connection.varlink.suspended(restartsCall: true), nil)
    case .impossible: return nil
    }
  }

  private func state(
    of connection: Connection, _ wire: SuspendedConnection?, _ stream: ConnectionState.Stream?
  ) -> ConnectionState? {
    guard let wire else { return nil }
    return ConnectionState(
      wire: wire, lastPosition: connection.lastPosition,
      ownedSessions: Array(connection.ownedSessions.filter { intake[$0]?.owner == connection.id }),
      gappedSessions: Array(connection.fedSessions.filter { intake[$0]?.isGapped == true }), stream: stream)
  }

  /// Goes on with a connection of the last daemon.
  ///
  /// - Returns: Its id; `nil` when it can't go on, since the log is no longer the one that its subscription is about.
  func resume(_ state: ConnectionState, _ peer: Peer) -> UInt64? {
    if case .subscription(let subscription) = state.stream, !isKnown(subscription) {
      // It comes back with its generation and is told.
      return nil
    }
    metrics.connectionsTakenOver += 1
    let (varlink, token) = ServerConnection.resume(state.wire, maximumMessageSize: configuration.maximumMessageSize)
    let connection = admit(peer, varlink)
    connection.hasCalled = true
    connection.lastPosition = min(state.lastPosition, projection.position)
    for id in state.ownedSessions {
      guard let session = intake[id], session.client.user == peer.user, session.owner == nil else { continue }
      session.closeDue = nil
      own(session, connection)
    }
    for id in state.gappedSessions {
      guard let session = intake[id], session.client.user == peer.user else { continue }
      session.isGapped = true
      connection.fedSessions.insert(id)
    }
    if let token, let stream = state.stream { resume(stream, token, connection) }
    countBuffered(connection)
    schedule(connection)
    if connection.varlink.outputCount > 0 || connection.varlink.isFinished { markDirty(connection) }
    return connection.id
  }

  /// So many connections of the last daemon could not go on.
  func noteLost(_ count: Int) { metrics.connectionsLost += Int64(count) }

  /// Notes whether a session has a gap, with all connections that feed it.
  func setGapped(_ session: IntakeSession, _ isGapped: Bool) {
    guard session.isGapped != isGapped else { return }
    session.isGapped = isGapped
    changedAtRest += connections.values.filter { $0.fedSessions.contains(session.id) }.map(\.id)
  }

  private func isKnown(_ subscription: SubscriptionState) -> Bool {
    subscription.generation == generations.current && subscription.position <= projection.position
  }

  private func resume(_ stream: ConnectionState.Stream, _ token: CallToken, _ connection: Connection) {
    switch stream {
    case .subscription(let state):
      subscriptionsPerUser[connection.peer.user, default: 0] += 1
      connection.stream = Subscription(token: token, connection: connection, resuming: state)
    case .requests(let state):
      guard let session = intake[state.session], session.client.user == connection.peer.user,
        session.requestStream == nil
      else {
        connection.varlink.reply(token, error: ServiceError.sessionClosed)
        return
      }
      session.restore(state.unanswered)
      let stream = RequestStream(token: token, connection: connection.id, session: session, resuming: state)
      session.requestStream = stream
      connection.stream = stream
    }
  }
}
