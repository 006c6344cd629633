import ScrollModel

/// Which sessions are forgotten.
public enum ForgetScope: Equatable, Sendable {
  /// One session.
  case session(SessionID)
  /// Every session of the clients of a name, of one user or of all, but for some that go on.
  case client(name: String, user: UInt32?, except: Set<SessionID>)

  /// Whether a session is one of them, as far as its opening tells.
  func includes(_ session: SessionID, _ opening: Opening) -> Bool {
    switch self {
    case .session(let id): session == id
    case .client(let name, let user, let except):
      opening.client.name == name && (user == nil || opening.client.user == user) && !except.contains(session)
    }
  }
}
