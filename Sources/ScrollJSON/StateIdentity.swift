// Whose state it is, and where in the log it stands.

import ScrollModel

/// Whose state it is, and where in the log it stands: what a state's JSON form says besides the fold's own fields.
///
/// What is `nil` is left out: a recording that is folded without a daemon has no session and no positions.
public struct StateIdentity: Equatable, Sendable {
  /// The client's name.
  public var client: String?
  /// The client's user id.
  public var user: UInt32?
  /// The session.
  public var session: SessionID?
  /// The position of the last record of the session.
  public var position: Position?
  /// The policy's name.
  public var policy: String

  /// An identity of its parts.
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
