/// A client: one scroll view of one process of one user. The same name of two users means two clients.
public struct ClientID: Hashable, Sendable {
  /// The id of the user who opened the session.
  public var user: UInt32
  /// The client's name.
  public var name: ClientName

  /// Creates a client from its user and name.
  public init(user: UInt32, name: ClientName) {
    self.user = user
    self.name = name
  }

  /// Creates a client from its user and the text of its name.
  public init(user: UInt32, name: String) { self.init(user: user, name: ClientName(name)) }
}
