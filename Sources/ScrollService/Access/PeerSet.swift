// Users and groups that may do something.

import Glibc

/// Users, by themselves or as members of groups.
public struct PeerSet: Equatable, Sendable {
  /// The users' ids.
  public var users: Set<UInt32>
  /// The groups' ids.
  public var groups: Set<UInt32>

  /// A set of its parts.
  public init(users: Set<UInt32> = [], groups: Set<UInt32> = []) {
    self.users = users
    self.groups = groups
  }

  /// Looks up users, and groups with `@` before their names; numbers are ids.
  ///
  /// - Parameter unknown: Gets the names that nobody has.
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

  /// The id of a group; `nil` where the system has none of the name.
  static func group(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }

  /// Whether a peer is one of them.
  public func contains(_ peer: Peer) -> Bool {
    users.contains(peer.user) || peer.groups.contains { groups.contains($0) }
  }
}
