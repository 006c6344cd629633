import ScrollModel

/// The sessions to forget.
public enum ForgetScope: Equatable, Sendable {
  /// One session.
  case session(SessionID)
  /// Every session of the clients with a name, of one user or of all users, except for some that continue.
  case client(name: ClientName, user: UInt32?, except: Set<SessionID>)

  /// Returns whether a session with an opening is one of them.
  func includes(_ session: SessionID, _ opening: Opening) -> Bool {
    switch self {
    case .session(let id): session == id
    case .client(let name, let user, let except):
      opening.client.name == name && (user == nil || opening.client.user == user) && !except.contains(session)
    }
  }
}
