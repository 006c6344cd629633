// Whose scroll view: a user and a name.

/// One scroll view of one process of one user. Two users' equal names are two clients.
public struct ClientID: Hashable, Sendable {
  /// The user id of whoever opened the session.
  public var user: UInt32
  /// The client's name, by the rule of ``ClientName``.
  public var name: String

  /// A client of a user and a name.
  public init(user: UInt32, name: String) {
    self.user = user
    self.name = name
  }
}
