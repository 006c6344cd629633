import Glibc

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
        if let id = UInt32(group) ?? Self.group(String(group)) { groups.insert(id) } else { unknown.append(name) }
      } else if let id = UInt32(name.name) ?? getpwnam(name.name)?.pointee.pw_uid {
        users.insert(id)
      } else {
        unknown.append(name)
      }
    }
  }

  /// Returns the id of a group; `nil` if the system has no group of this name.
  static func group(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }

  /// Returns whether a peer is in the set.
  public func contains(_ peer: Peer) -> Bool {
    users.contains(peer.user) || peer.groups.contains { groups.contains($0) }
  }
}
