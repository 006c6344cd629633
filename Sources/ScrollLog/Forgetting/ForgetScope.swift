import ScrollModel

/// The sessions to forget.
public enum ForgetScope: Equatable, Sendable {
  /// The sessions with an id: one, or one of each user who gave it.
  case session(SessionID)
  /// Every session of the clients with a name, of one user or of all users, except for some that continue.
  case client(name: ClientName, user: UInt32?, except: Set<SessionID>)
  /// All that a user above the fair share has in one segment, in its head as well. Sessions that go on in the next segment
  /// continue with that segment's head.
  case share(of: UserIDs)
  /// Every session that a list says was forgotten, except for some that continue.
  case listed(ForgottenSelection, except: Set<SessionID>)

  /// Returns whether a session is one of them.
  ///
  /// - Parameters:
  ///   - given: The id that its user gave it, if the log has it under another one.
  ///   - received: When the daemon received its opening.
  public func includes(
    _ session: SessionID, given: SessionID?, of client: ClientID, received: Int64
  ) -> Bool {
    switch self {
    case .session(let id): (given ?? session) == id
    case .share(let user): user.contains(client.user)
    case .client(let name, let user, let except):
      client.name == name && (user == nil || client.user == user) && !except.contains(session)
    case .listed(let selection, let except):
      !except.contains(session) && selection.includes(given ?? session, of: client, received: received)
    }
  }

  /// Returns the scope without sessions that continue.
  public func excepting(_ sessions: Set<SessionID>) -> ForgetScope {
    switch self {
    case .session, .share: self
    case .client(let name, let user, let except): .client(name: name, user: user, except: except.union(sessions))
    case .listed(let selection, let except): .listed(selection, except: except.union(sessions))
    }
  }
}
