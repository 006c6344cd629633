import ScrollModel

/// The daemon's settings, with their defaults. ``Configuration/keys`` maps the keys of the files to them.
public struct Configuration: Equatable, Sendable {
  /// When the daemon acknowledges an append.
  public enum Sync: String, CaseIterable, Sendable {
    /// After syncing the log to disk.
    case commit
    /// After writing the log, which is synced at most `syncInterval` later.
    case interval
    /// After writing the log; the kernel decides when it reaches the disk.
    case never
  }

  /// A named policy and the clients that it applies to.
  public struct PolicySection: Equatable, Sendable {
    /// The policy, with the name of its section.
    public var policy: Policy
    /// Globs over client names; empty for a policy that applies only where other settings name it.
    public var clients: [String]
  }

  // [Log]

  /// When the daemon acknowledges an append.
  public var sync = Sync.commit
  /// The maximum time between writing and syncing a record with `Sync=interval`, in microseconds.
  public var syncInterval: Int64 = 1_000_000
  /// Whether the daemon packs sealed segments of the log.
  public var compress = true
  /// The size at which the daemon begins a new segment of the log, in bytes.
  public var segmentSize = 64 << 20
  /// The maximum size of the log; `nil` for a tenth of the file system, at most 4 GiB.
  public var maximumUse: DiskShare?
  /// The minimum free space on the file system; `nil` for 15 % of it, at most 4 GiB.
  public var keepFree: DiskShare?
  /// The maximum age of records, in microseconds; `.max` for any age.
  public var maximumRetention = Int64.max

  // [Sessions]

  /// The name of the policy for clients that match no policy section.
  public var defaultPolicy = Policy.safari.name
  /// The time without a record after which the daemon closes a session, in microseconds.
  public var sessionIdle: Int64 = 86_400_000_000

  // [Access]

  /// The users, and groups with `@`, that may open sessions and append to them, in addition to root; everyone if empty.
  public var feeders: [AccountName] = []
  /// The group whose members see everyone's clients.
  public var observersGroup: AccountName = "scroll-observers"
  /// The users, and groups with `@`, that may manage the daemon and ask any client to scroll, in addition to root.
  public var managers: [AccountName] = []
  /// The users, and groups with `@`, that may copy the log to a server, in addition to root and the managers.
  public var relays: [AccountName] = []

  // [Limits]

  /// The maximum size of a message on the socket, in bytes.
  public var maximumMessageSize = 1 << 20
  /// The maximum number of connections.
  public var maximumConnections = 4096
  /// The maximum number of connections per user; root is exempt.
  public var maximumConnectionsPerUser = 1024
  /// The maximum number of open sessions per user; root is exempt.
  public var maximumSessionsPerUser = 4096
  /// The maximum number of subscriptions per user; root is exempt.
  public var maximumSubscriptionsPerUser = 1024
  /// The maximum number of events that a user may append per second; root is exempt.
  public var maximumEventsPerSecond = 100_000
  /// The maximum number of bytes that the records of a user may take in the log per second; root is exempt.
  public var maximumBytesPerSecond = 8 << 20
  /// The maximum size of all input and output buffers together, in bytes; `nil` for 256 MiB or four times the limit per user,
  /// whichever is more.
  public var maximumBuffer: Int?
  /// The maximum size of the buffers of one user, in bytes; `nil` for 64 MiB or four messages of the maximum size, whichever is
  /// more. Root is exempt.
  public var maximumBufferPerUser: Int?
  /// The output that may be pending on a connection before its streams go back to reading from the log, in bytes.
  public var maximumOutput = 256 << 10

  /// The policies defined in the files, in the order in which they first appear.
  public var policySections: [PolicySection] = []

  /// Creates a configuration with all defaults.
  public init() {}

  /// The maximum size of all buffers together, in bytes.
  public var bufferLimit: Int { maximumBuffer ?? max(256 << 20, 4 * bufferLimitPerUser) }
  /// The maximum size of one user's buffers, in bytes.
  public var bufferLimitPerUser: Int { maximumBufferPerUser ?? max(64 << 20, 4 * maximumMessageSize) }

  /// The names of all policies, each once: those from the files, and the presets that they do not replace.
  public var policyNames: [String] {
    let own = policySections.map(\.policy.name)
    return own + Policy.presets.map(\.name).filter { !own.contains($0) }
  }

  /// Returns the policy with a name: one from the files, else a preset; `nil` if the name is unknown.
  public func policy(named name: String) -> Policy? {
    policySections.first { $0.policy.name == name }?.policy ?? Policy.preset(named: name)
  }
}
