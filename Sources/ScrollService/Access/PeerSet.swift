import Platform

/// A set of users, listed one by one or as members of groups.
public struct PeerSet: Equatable, Sendable {
  /// The ids of the users.
  public var users: Set<UInt32>
  /// The ids of the groups.
  public var groups: Set<UInt32>

  /// Creates a set.
  public init(users: Set<UInt32> = [], groups: Set<UInt32> = []) {
    self.users = users
    self.groups = groups
  }

  /// Creates a set from names of users, and of groups with the prefix `@`. Numbers are ids.
  ///
  /// - Parameter unknown: Gets the unknown names.
  init(_ names: [AccountName], unknown: inout [AccountName]) {
    self.init()
    for name in names {
      if name.name.first == "@" {
        let group = name.name.dropFirst()
        if let id = UInt32(group) ?? Accounts.group(named: String(group)) {
          groups.insert(id)
        } else {
          unknown.append(name)
        }
      } else if let id = UInt32(name.name) ?? Accounts.user(named: name.name) {
        users.insert(id)
      } else {
        unknown.append(name)
      }
    }
  }

  /// Returns whether a peer is in the set.
  public func contains(_ peer: Peer) -> Bool {
    users.contains(peer.user) || peer.groups.contains { groups.contains($0) }
  }
}
