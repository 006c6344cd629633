import ScrollModel

/// The feeding side of a connection: the sessions that it sends events for.
final class Feeder {
  let connection: ConnectionID
  let user: UInt32
  /// The position of the last record that came over the connection. Later calls on it see the record.
  var lastPosition: Position = 0
  /// The sessions that close with the connection, unless another connection has taken them over.
  var ownedSessions: Set<SessionID> = []
  /// The sessions that it has sent events for.
  private(set) var fedSessions: Set<SessionID> = []
  private var lastFed: SessionID?

  init(connection: ConnectionID, user: UInt32) {
    self.connection = connection
    self.user = user
  }

  /// Records that events for a session came over the connection.
  func didFeed(_ session: SessionID) {
    // Most calls feed the same session as the one before.
    if lastFed == session { return }
    lastFed = session
    fedSessions.insert(session)
  }

  /// Removes a session that the connection has closed.
  func forget(_ session: SessionID) {
    fedSessions.remove(session)
    if lastFed == session { lastFed = nil }
  }
}
