import ScrollModel

/// The sessions to forget.
public enum ForgetScope: Equatable, Sendable {
  /// The sessions with an id: one, or one of each user who gave it.
  case session(SessionID)
  /// Every session of the clients with a name, of one user or of all users, except for some that continue.
  case client(name: ClientName, user: UInt32?, except: Set<SessionID>)
  /// What a user above the fair share has in one segment, as far as the log can be folded without it. Sessions that begin and
  /// end in the segment go; of others the events, requests and responses go, and the texts of the opening.
  case share(of: UInt32)

  /// Returns whether a session with an opening is one of them.
  func includes(_ session: SessionID, _ opening: Opening) -> Bool {
    switch self {
    case .session(let id): (opening.givenID ?? session) == id
    case .share(let user): opening.client.user == user
    case .client(let name, let user, let except):
      opening.client.name == name && (user == nil || opening.client.user == user) && !except.contains(session)
    }
  }
}
