import ScrollModel

/// A session that was closed.
public struct ClosedSession: Hashable, Sendable {
  /// The session's ID.
  public let id: SessionID
  /// The user whose session it was.
  public let owner: SessionOwner

  /// Creates one from its parts.
  public init(id: SessionID, owner: SessionOwner) {
    self.id = id
    self.owner = owner
  }

  /// Creates one from a session that is about to be closed.
  public init(_ session: Session) {
    self.init(id: session.id, owner: .user(session.client.user))
  }
}
