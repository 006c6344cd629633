import ScrollModel

/// The feeding side of a connection: the sessions that it sends events for.
final class Feeder {
  let connection: ConnectionID
  let user: UInt32
  /// The position of the last record that came over the connection. Later calls on it see the record.
  var lastPosition: Position = 0
  /// The sessions that close with the connection, unless another connection has taken them over.
  private(set) var ownedSessions: Set<SessionID> = []
  /// The sessions that it has sent events for.
  private(set) var fedSessions: Set<SessionID> = []
  /// Those of them that have a gap.
  private(set) var gappedSessions: Set<SessionID> = []
  private var lastFed: SessionID?

  init(connection: ConnectionID, user: UInt32) {
    self.connection = connection
    self.user = user
  }

  /// Records that events for a session came over the connection.
  ///
  /// - Returns: Whether the connection fed another session before.
  @discardableResult
  func didFeed(_ session: SessionID) -> Bool {
    // Most calls feed the same session as the one before.
    if lastFed == session { return false }
    lastFed = session
    fedSessions.insert(session)
    return true
  }

  /// How much memory the sessions take, in bytes.
  var heldBytes: Int {
    // A set fills between three eighths and three quarters of its memory.
    // Each session knows who feeds it, too.
    let count = (2 * fedSessions.count + ownedSessions.count + gappedSessions.count) * 3 * MemoryLayout<SessionID>.size
    return count <= 1024 ? 0 : count
  }

  /// Makes a session close with the connection.
  func own(_ session: SessionID) { ownedSessions.insert(session) }

  /// Removes a session that another connection has taken over.
  func disown(_ session: SessionID) { ownedSessions.remove(session) }

  /// Records whether a session has a gap.
  func setGap(_ session: SessionID, _ hasGap: Bool) {
    if hasGap { gappedSessions.insert(session) } else { gappedSessions.remove(session) }
  }

  /// Removes a session that is closed.
  func forget(_ session: SessionID) {
    ownedSessions.remove(session)
    evict(session)
  }

  /// Removes a session that other connections feed, until this one feeds it again.
  func evict(_ session: SessionID) {
    gappedSessions.remove(session)
    fedSessions.remove(session)
    if lastFed == session { lastFed = nil }
  }
}
