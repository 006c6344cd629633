// Who may do what.

import Glibc
import ScrollModel

/// Who may do what: names of the configuration resolved to ids.
public struct AccessRules: Equatable, Sendable {
  /// The group whose members see everyone's clients; `nil` where the system has no such group.
  public var observersGroup: UInt32?
  /// The users besides root who may manage the daemon.
  public var managers: Set<UInt32>

  /// Rules of their parts.
  public init(observersGroup: UInt32? = nil, managers: Set<UInt32> = []) {
    self.observersGroup = observersGroup
    self.managers = managers
  }

  /// Looks up the configuration's group and users.
  ///
  /// A group that doesn't exist has no members; a user that doesn't exist is named in `unknownUsers`. The user that the
  /// daemon runs as is a manager always: it could do as it likes with the log, and `systemctl reload` asks in its name.
  public init(_ configuration: Configuration, ownUser: UInt32 = geteuid(), unknownUsers: inout [String]) {
    observersGroup = getgrnam(configuration.observersGroup)?.pointee.gr_gid
    managers = [ownUser]
    for name in configuration.managers {
      if let user = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid {
        managers.insert(user)
      } else {
        unknownUsers.append(name)
      }
    }
  }

  /// Whether a peer sees every user's clients.
  public func maySeeEveryone(_ peer: Peer) -> Bool {
    peer.user == 0 || observersGroup.map(peer.groups.contains) ?? false
  }

  /// Whether a peer sees a user's clients.
  public func maySee(_ peer: Peer, clientsOf user: UInt32) -> Bool {
    peer.user == user || maySeeEveryone(peer)
  }

  /// Whether a peer may manage the daemon.
  public func mayManage(_ peer: Peer) -> Bool {
    peer.user == 0 || managers.contains(peer.user)
  }

  /// Whether a peer may ask a user's clients to scroll.
  public func mayScroll(_ peer: Peer, clientsOf user: UInt32) -> Bool {
    peer.user == user || mayManage(peer)
  }
}
