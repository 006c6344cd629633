import ScrollModel

/// The members of a state's JSON form other than the fold's own fields: whose state it is, and its place in the log.
///
/// A member that is `nil` is left out. A recording that is folded without a daemon has no session and no positions.
public struct StateIdentity: Equatable, Sendable {
  /// The client's name.
  public var client: String?
  /// The client's user id.
  public var user: UInt32?
  /// The session.
  public var session: SessionID?
  /// The position of the session's last record.
  public var position: Position?
  /// The policy's name.
  public var policy: String

  /// Creates an identity from its parts.
  public init(
    client: String? = nil, user: UInt32? = nil, session: SessionID? = nil, position: Position? = nil, policy: String
  ) {
    self.client = client
    self.user = user
    self.session = session
    self.position = position
    self.policy = policy
  }
}
