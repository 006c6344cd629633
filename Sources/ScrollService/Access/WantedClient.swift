import ScrollModel
import Varlink

/// A client requested by name and, optionally, by user.
struct WantedClient {
  let name: ClientName
  /// The requested user; `nil` for the caller or, failing that, the only user with a client of this name.
  let user: UInt32?
  let peer: Peer
  let seesEveryone: Bool

  /// Returns whether a client may be the requested one.
  func matches(_ client: ClientID) -> Bool {
    guard client.name == name else { return false }
    if let user { return client.user == user }
    return seesEveryone || client.user == peer.user
  }

  /// Returns the requested client from those that match.
  ///
  /// - Throws: `NoSuchClient` if none matches, `AmbiguousClient` if the caller has to name the user.
  func choose(among clients: [ClientID]) throws(VarlinkError) -> ClientID {
    if let own = clients.first(where: { $0.user == peer.user }) { return own }
    guard let first = clients.first else { throw ServiceError.noSuchClient }
    guard clients.count == 1 else { throw ServiceError.ambiguousClient(users: clients.map(\.user).sorted()) }
    return first
  }
}
