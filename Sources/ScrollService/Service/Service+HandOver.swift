import ScrollLog
import ScrollModel
import Varlink

// The service as the hand-over to the next daemon sees it.
extension Service {
  /// Whether a connection is worth keeping for the next daemon: it has made a call that was accepted. A flood of
  /// connections that never call doesn't take the place of others.
  func isWorthKeeping(_ id: ConnectionID) -> Bool { connections[id]?.hasCalled ?? false }

  /// The state of an idle connection: no call is under way, all that came over it is committed, nothing waits to be sent,
  /// and its stream has sent everything. `nil` for others.
  func idleState(of id: ConnectionID) -> ConnectionState? {
    guard let connection = connections[id], connection.isIdle,
      commit.isCommitted(connection.feeder.lastPosition)
    else { return nil }
    guard let stream = connection.stream else { return state(of: connection, connection.suspended(), nil) }
    guard let state = stream.idleState else { return nil }
    return self.state(of: connection, connection.suspended(), state)
  }

  /// The connections whose state for the next daemon has changed since the last call, though nothing was sent on them.
  func takeHandOverChanges() -> [ConnectionID] { connections.takeHandOverChanges() }

  /// The state of a connection after the service has stopped; `nil` when the next daemon can't resume it.
  func finalState(of id: ConnectionID) -> ConnectionState? {
    guard let connection = connections[id] else { return nil }
    guard let stream = connection.stream else { return state(of: connection, connection.suspended(), nil) }
    switch stream.handOver() {
    case .resumes(let stream): return state(of: connection, connection.suspended(), stream)
    case .restarts: return state(of: connection, connection.suspended(restartsCall: true), nil)
    case .impossible: return nil
    }
  }

  private func state(
    of connection: Connection, _ wire: SuspendedConnection?, _ stream: ConnectionState.Stream?
  ) -> ConnectionState? {
    guard let wire else { return nil }
    let feeder = connection.feeder
    return ConnectionState(
      wire: wire, lastPosition: feeder.lastPosition, ownedSessions: sessions.owned(by: feeder),
      gappedSessions: sessions.gapped(of: feeder), stream: stream)
  }

  /// Resumes a connection of the last daemon.
  ///
  /// - Returns: Its id; `nil` when the log is no longer the one that its subscription is about.
  func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID? {
    if case .subscription(let subscription) = state.stream, !subscriptions.canResume(subscription) {
      // It reconnects with its generation and gets the error.
      return nil
    }
    defer { carryOutEffects() }
    let (connection, token) = connections.resume(state.wire, peer)
    connection.feeder.lastPosition = min(state.lastPosition, lastPosition)
    sessions.resume(connection.feeder, owned: state.ownedSessions, gapped: state.gappedSessions)
    if let token, let stream = state.stream { resume(stream, ReplyChannel(connection, token), connection) }
    connections.resume(connection)
    return connection.id
  }

  private func resume(_ state: ConnectionState.Stream, _ channel: ReplyChannel, _ connection: Connection) {
    switch state {
    case .subscription(let state):
      connection.stream = subscriptions.resume(state, channel)
    case .requests(let state):
      connection.stream = sessions.resumeRequests(state, of: connection.feeder, channel)
      if connection.stream == nil { channel.fail(ServiceError.sessionClosed) }
    }
  }

  /// Counts connections of the last daemon that could not be resumed.
  func countLostConnections(_ count: Int) { connections.countLost(count) }
}
