import ScrollLog
import ScrollModel
import Varlink

// The service as the loop's sockets see it.
extension Service {
  /// Accepts a new connection.
  ///
  /// - Parameter descriptors: How many connections the process has file descriptors for.
  /// - Returns: The connection's id; `nil` when there are too many connections, and the caller has to close the socket.
  public func connect(_ peer: Peer, descriptors: Int = .max) -> UInt64? {
    connections.connect(peer, descriptors: descriptors)?.id
  }

  /// Takes bytes that a connection's peer sent. Its calls are handled in its turn, by ``advance()``.
  public func receive(_ bytes: UnsafeRawBufferPointer, on id: UInt64) { connections.receive(bytes, on: id) }

  /// Records that a connection's peer ended its side; it still gets its answers.
  public func receiveEnd(on id: UInt64) { connections.receiveEnd(on: id) }

  /// Removes a connection that is gone.
  public func disconnect(_ id: UInt64) {
    guard let connection = connections.disconnect(id) else { return }
    sessions.disconnect(connection.feeder)
    carryOutEffects()
  }

  /// Whether more may be received on a connection. Otherwise it is paused.
  public func wantsInput(on id: UInt64) -> Bool {
    // What arrives while the daemon stops is left to the next daemon.
    !isStopping && !commit.isFull && connections.wantsInput(on: id)
  }

  /// How many bytes may be received from a connection at once.
  public func receiptLimit(of id: UInt64) -> Int { connections[id]?.receiptLimit ?? 0 }

  /// Returns what a connection needs of its socket.
  func socketNeeds(of id: UInt64) -> SocketNeeds {
    guard let connection = connections[id] else { return .none }
    return SocketNeeds(
      isFinished: connection.isFinished, hasSentLastReply: connection.hasSentLastReply,
      wantsInput: !isStopping && !commit.isFull && connections.wantsInput(on: connection),
      hasEnded: connection.hasReceivedEnd || connection.violation != nil && !connection.isDiscarding,
      isCrowded: connection.share.connections > Connections.uncrowdedCount)
  }

  /// Whether a connection has ended, so that the caller closes its socket.
  public func isFinished(_ id: UInt64) -> Bool { connections[id]?.isFinished ?? true }

  /// Whether the caller shuts the sending side of a connection's socket down, and receives until the connection ends.
  public func hasSentLastReply(_ id: UInt64) -> Bool { connections[id]?.hasSentLastReply ?? false }

  /// Calls a closure with a connection's output.
  public func withOutput<Result>(of id: UInt64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    connections[id]?.withOutput(body)
  }

  /// Marks the first `count` bytes of a connection's output as sent.
  public func consumeOutput(_ count: Int, of id: UInt64) { connections.consumeOutput(count, of: id) }

  /// Returns connections that have got output, or have ended, and were not returned yet. Users take turns.
  public func takeOutputs(atMost count: Int = .max) -> [UInt64] { connections.takeOutputs(atMost: count) }

  /// Removes and returns a connection that has got output, or has ended, and was not returned yet. Users take turns.
  func takeOutput() -> UInt64? { connections.takeOutput() }

  /// Passes the connections that had a turn since the last call. More may be received from them now.
  func takeServed(_ body: (UInt64) -> Void) { connections.takeServed(body) }

  /// When another turn is due, by the monotonic clock in microseconds; `nil` when none is known.
  public var nextDue: Int64? { connections.users.nextDue }

  /// Gives connections with work their turn.
  ///
  /// - Returns: Whether there is more to do at once.
  @discardableResult
  public func advance() -> Bool {
    defer { carryOutEffects() }
    if subscriptions.hasPushes { push() }
    if sessions.hasDisconnected, !isStopping { closeDisconnected() }
    return connections.advance(self) || subscriptions.hasPushes || sessions.hasDisconnected && !isStopping
  }

  /// Closes some of the sessions whose connections are gone, for their users.
  private func closeDisconnected() {
    sessions.releaseDisconnected()
    for _ in 0..<Sessions.closingsPerTurn {
      guard let session = sessions.nextDisconnected() else { return }
      let share = connections.users.share(of: session.account)
      if isFull(for: share) {
        sessions.postponeClosing(session)
        continue
      }
      let before = Written(commit, sessions, share)
      commit.add(sessions.close(session, reason: .disconnected))
      charge(share, since: before)
    }
  }
}
