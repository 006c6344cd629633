// Who may do what.

import Glibc
import ScrollModel

/// Who may do what: names of the configuration resolved to ids.
public struct AccessRules: Equatable, Sendable {
  /// Who may open sessions and append to them, besides root; `nil` for everyone.
  public var feeders: PeerSet?
  /// The group whose members see everyone's clients; `nil` where the system has no such group.
  public var observersGroup: UInt32?
  /// Who besides root may manage the daemon.
  public var managers: PeerSet

  /// Rules of their parts.
  public init(feeders: PeerSet? = nil, observersGroup: UInt32? = nil, managers: PeerSet = PeerSet()) {
    self.feeders = feeders
    self.observersGroup = observersGroup
    self.managers = managers
  }

  /// Looks up the configuration's users and groups.
  ///
  /// Who doesn't exist may do nothing. Where a file names somebody who doesn't, `warnings` says so with its place. The user
  /// that the daemon runs as feeds and manages always: it could do as it likes with the log, and `systemctl reload` asks in
  /// its name.
  public init(
    _ configuration: Configuration, ownUser: UInt32 = geteuid(), warnings: inout [ConfigurationError]
  ) {
    var unknown: [AccountName] = []
    func warn(_ key: String) {
      for name in unknown {
        guard let place = name.place else { continue }
        let isGroup = name.name.hasPrefix("@") || key == "ObserversGroup"
        warnings.append(
          ConfigurationError(
            file: place.file, line: place.line, key: key,
            reason: "there is no \(isGroup ? "group" : "user") “\(name.name.drop { $0 == "@" })”"))
      }
      unknown = []
    }
    feeders = configuration.feeders.isEmpty ? nil : PeerSet(configuration.feeders, unknown: &unknown)
    feeders?.users.insert(ownUser)
    warn("Feeders")
    managers = PeerSet(configuration.managers, unknown: &unknown)
    managers.users.insert(ownUser)
    warn("Managers")
    let group = configuration.observersGroup
    observersGroup = UInt32(group.name) ?? PeerSet.group(group.name)
    if observersGroup == nil { unknown = [group] }
    warn("ObserversGroup")
  }

  /// Whether a peer may open sessions, append to them and close them.
  public func mayFeed(_ peer: Peer) -> Bool {
    peer.user == 0 || feeders.map { $0.contains(peer) } ?? true
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
    peer.user == 0 || managers.contains(peer)
  }

  /// Whether a peer may ask a user's clients to scroll.
  public func mayScroll(_ peer: Peer, clientsOf user: UInt32) -> Bool {
    peer.user == user || mayManage(peer)
  }
}
