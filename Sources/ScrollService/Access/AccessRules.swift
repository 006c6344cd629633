import Platform
import ScrollModel

/// Access rules: who may do what, with the names of the configuration resolved to ids.
public struct AccessRules: Equatable, Sendable {
  /// Who may open sessions and append to them, in addition to root; `nil` for everyone.
  public var feeders: PeerSet?
  /// The group whose members see everyone's clients; `nil` if the system has no such group.
  public var observersGroup: UInt32?
  /// Who may manage the daemon, in addition to root.
  public var managers: PeerSet
  /// Who may copy the log with a relay, in addition to those who may manage the daemon.
  public var relays: PeerSet
  /// The users that own subordinate ids.
  public var subordinates = SubordinateUsers()

  /// Creates access rules.
  public init(
    feeders: PeerSet? = nil, observersGroup: UInt32? = nil, managers: PeerSet = PeerSet(),
    relays: PeerSet = PeerSet()
  ) {
    self.feeders = feeders
    self.observersGroup = observersGroup
    self.managers = managers
    self.relays = relays
  }

  /// Creates the access rules of a configuration, looking up its users and groups.
  ///
  /// An unknown name permits nothing, and `warnings` gets its place in the files. The user that the daemon runs as may always
  /// feed and manage: it has full access to the log anyway, and `systemctl reload` calls the daemon as that user.
  public init(
    _ configuration: Configuration, ownUser: UInt32 = CurrentProcess.effectiveUser, warnings: inout [ConfigurationError]
  ) {
    var unknown: [AccountName] = []
    func warn(_ key: String) {
      for name in unknown {
        guard let place = name.place else { continue }
        let isGroup = name.name.hasPrefix("@") || key == "ObserversGroup"
        warnings.append(
          ConfigurationError(
            file: place.file, line: place.line, key: key,
            reason: "unknown \(isGroup ? "group" : "user") “\(name.name.drop { $0 == "@" })”"))
      }
      unknown = []
    }
    feeders = configuration.feeders.isEmpty ? nil : PeerSet(configuration.feeders, unknown: &unknown)
    feeders?.users.insert(ownUser)
    warn("Feeders")
    managers = PeerSet(configuration.managers, unknown: &unknown)
    managers.users.insert(ownUser)
    warn("Managers")
    relays = PeerSet(configuration.relays, unknown: &unknown)
    warn("Relays")
    let group = configuration.observersGroup
    observersGroup = UInt32(group.name) ?? Accounts.group(named: group.name)
    if observersGroup == nil { unknown = [group] }
    warn("ObserversGroup")
    subordinates = .ofSystem()
  }

  /// Returns the user whose limits apply to a user: the owner of a subordinate id, else the user.
  public func account(of user: UInt32) -> UInt32 { subordinates.owner(of: user) }

  /// Returns whether a peer may open sessions, append to them and close them.
  public func mayFeed(_ peer: Peer) -> Bool {
    peer.user == 0 || feeders.map { $0.contains(peer) } ?? true
  }

  /// Returns whether a peer may see every user's clients.
  public func maySeeEveryone(_ peer: Peer) -> Bool {
    peer.user == 0 || observersGroup.map(peer.groups.contains) ?? false
  }

  /// Returns whether a peer may see a user's clients.
  public func maySee(_ peer: Peer, clientsOf user: UInt32) -> Bool {
    peer.user == user || maySeeEveryone(peer)
  }

  /// Returns whether a peer may manage the daemon.
  public func mayManage(_ peer: Peer) -> Bool {
    peer.user == 0 || managers.contains(peer)
  }

  /// Returns whether a peer may copy the log.
  public func mayRelay(_ peer: Peer) -> Bool {
    mayManage(peer) || relays.contains(peer)
  }

  /// Returns whether a peer may ask a user's clients to scroll.
  public func mayScroll(_ peer: Peer, clientsOf user: UInt32) -> Bool {
    peer.user == user || mayManage(peer)
  }
}
