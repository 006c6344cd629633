import ScrollLog
import ScrollModel
import Varlink

// The service as the hand-over to the next daemon sees it.
extension Service {
  /// Whether a connection is worth keeping for the next daemon: it has made a call that was accepted. A flood of
  /// connections that make no calls does not displace others.
  func isWorthKeeping(_ id: ConnectionID) -> Bool { connections[id]?.hasCalled ?? false }

  /// Returns the state of an idle connection; `nil` for a busy one.
  ///
  /// A connection is idle if all its calls are answered and their records committed, its output is sent, and its stream
  /// has nothing more to send.
  func idleState(of id: ConnectionID) -> ConnectionState? {
    guard let connection = connections[id], connection.isIdle,
      commit.isCommitted(connection.feeder.lastPosition)
    else { return nil }
    guard let stream = connection.stream else { return state(of: connection, connection.suspended(), nil) }
    guard let state = stream.idleState else { return nil }
    return self.state(of: connection, connection.suspended(), state)
  }

  /// Removes and returns the connections whose state for the next daemon has changed since the last call, although nothing
  /// was sent on them.
  func takeHandOverChanges() -> Set<ConnectionID> { connections.takeHandOverChanges() }

  /// Returns the state of a connection after the service has stopped; `nil` when the next daemon can't resume it.
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
      wire: wire, lastPosition: feeder.lastPosition, ownedSessions: Array(feeder.ownedSessions),
      gappedSessions: Array(feeder.gappedSessions), stream: stream)
  }

  /// Resumes a connection of the previous daemon.
  ///
  /// - Returns: The connection's id; `nil` when its subscription belongs to another log, or to another generation of
  ///   this one.
  func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID? {
    if case .subscription(let subscription) = state.stream, !subscriptions.canResume(subscription) {
      // The subscriber reconnects with its generation, and gets the error then.
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

  /// Counts connections of the previous daemon that could not be resumed.
  func countLostConnections(_ count: Int) { connections.countLost(count) }
}
