import ScrollModel

/// A connection to the daemon. A stream of replies occupies its connection, so each has one of its own.
public enum Channel: Hashable, Sendable {
  /// Sends sessions and events.
  case feed
  /// Receives what the daemon decides about the browser's clients.
  case pushes
  /// Receives a session's scroll requests.
  case requests(SessionID)
  /// Forgets sessions, which may take the daemon a while.
  case management
}
