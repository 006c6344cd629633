import ScrollClient
import ScrollModel

/// The sessions that the log of a daemon has, as an import needs them.
final class KnownSessions {
  struct Session {
    /// The client's name in the log, which an earlier import may have given it.
    var client: String
    var events: Int64
    /// Whether the log has all of it, from its opening to its closing.
    var isComplete: Bool
  }

  /// A user's name for a session: two users may have given theirs the same id.
  private struct Name: Hashable {
    var id: SessionID
    var user: UInt32
  }

  private var sessions: [Name: Session] = [:]

  /// Asks a daemon for all sessions, except those that were closed where its log is damaged.
  ///
  /// - Returns: `nil` when the daemon is older than the method.
  init?(of daemon: ServiceConnection) throws {
    do {
      try daemon.everySession { summary in
        // What the daemon answers to the import of a session that was trimmed decides.
        let isComplete = summary.isWhole && summary.closed != nil
        sessions[Name(id: summary.session, user: summary.user)] = Session(
          client: summary.client, events: summary.events, isComplete: isComplete)
      } damaged: { message, _ in
        Program.warn(message)
      }
    } catch let error as ServiceError {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  /// Adds a session that was imported completely.
  func add(_ id: SessionID, of user: UInt32, client: String, events: Int64) {
    sessions[Name(id: id, user: user)] = Session(client: client, events: events, isComplete: true)
  }

  subscript(id: SessionID, of user: UInt32) -> Session? { sessions[Name(id: id, user: user)] }
}
