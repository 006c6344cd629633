// The client that a caller means.

import ScrollModel
import Varlink

/// The client that a caller means by a name and, perhaps, a user.
struct WantedClient {
  let name: String
  /// The user that was asked for; `nil` for the caller's own, or else the only one's who has such a client.
  let user: UInt32?
  let peer: Peer
  let seesEveryone: Bool

  /// Whether a client may be the one that is meant.
  func matches(_ client: ClientID) -> Bool {
    guard client.name == name else { return false }
    if let user { return client.user == user }
    return seesEveryone || client.user == peer.user
  }

  /// The one that is meant, of those that match.
  ///
  /// - Throws: `NoSuchClient` when there is none, `AmbiguousClient` when it is for the caller to say whose.
  func choose(among clients: [ClientID]) throws(VarlinkError) -> ClientID {
    if let own = clients.first(where: { $0.user == peer.user }) { return own }
    guard let first = clients.first else { throw ServiceError.noSuchClient }
    guard clients.count == 1 else { throw ServiceError.ambiguousClient(users: clients.map(\.user).sorted()) }
    return first
  }
}
