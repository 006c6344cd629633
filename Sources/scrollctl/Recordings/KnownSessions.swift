import ScrollClient
import ScrollModel

/// The sessions that the log of a daemon has, as an import needs them.
struct KnownSessions {
  struct Session {
    var events: Int64
    var isClosed: Bool
  }

  /// A user's name for a session: two users may have given theirs the same id.
  private struct Name: Hashable {
    var id: SessionID
    var user: UInt32
  }

  private var sessions: [Name: Session] = [:]

  /// Asks a daemon for all sessions.
  ///
  /// - Returns: `nil` when the daemon cannot list them: its log is damaged, or it is older than the method.
  init?(of daemon: ServiceConnection) throws {
    do throws(ServiceError) {
      for summary in try daemon.sessions() {
        let summary = try summary.get()
        // A part of a session is no session that an import could skip.
        guard summary.isWhole else { continue }
        sessions[Name(id: summary.session, user: summary.user)] = Session(events: summary.events, isClosed: summary.closed != nil)
      }
    } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  subscript(id: SessionID, of user: UInt32) -> Session? { sessions[Name(id: id, user: user)] }
}
