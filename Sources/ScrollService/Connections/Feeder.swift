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
  /// How many sessions may be remembered before those that are closed are dropped.
  private var pruneCount = 64

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
    let count = (fedSessions.count + ownedSessions.count) * 3 * MemoryLayout<SessionID>.size
    return count <= 1024 ? 0 : count
  }

  /// Drops sessions that are no longer open, once there are many. Other connections may have closed them.
  func prune(_ isOpen: (SessionID) -> Bool) {
    guard fedSessions.count + ownedSessions.count >= pruneCount else { return }
    fedSessions = fedSessions.filter(isOpen)
    ownedSessions = ownedSessions.filter(isOpen)
    pruneCount = max(64, 2 * (fedSessions.count + ownedSessions.count))
  }

  /// Removes a session that the connection has closed.
  func forget(_ session: SessionID) {
    fedSessions.remove(session)
    if lastFed == session { lastFed = nil }
  }
}
