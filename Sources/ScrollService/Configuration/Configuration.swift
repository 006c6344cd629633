// All that the daemon can be told, with its defaults.

import ScrollModel

/// All that the daemon can be told, with its defaults. ``Configuration/keys`` says which key sets what.
public struct Configuration: Equatable, Sendable {
  /// When an answer may be given.
  public enum Sync: String, CaseIterable, Sendable {
    /// After the log is synced to disk.
    case commit
    /// After it is written; it is synced at most `syncInterval` later.
    case interval
    /// After it is written; the kernel decides when it reaches the disk.
    case never
  }

  /// A named policy and the clients that it is for.
  public struct PolicySection: Equatable, Sendable {
    /// The policy, named as its section.
    public var policy: Policy
    /// Globs over client names, none for a policy that only other settings name.
    public var clients: [String]
  }

  // [Log]

  /// When an answer may be given.
  public var sync = Sync.commit
  /// How long a written record may wait to be synced with `Sync=interval`, in microseconds.
  public var syncInterval: Int64 = 1_000_000
  /// Whether segments of the log that are no longer written to are packed.
  public var compress = true
  /// How large a segment of the log grows, in bytes.
  public var segmentSize = 64 << 20
  /// How much the log may take; `nil` for a tenth of the file system, at most 4 GiB.
  public var maximumUse: DiskShare?
  /// How much is left free on the file system; `nil` for 15 % of it, at most 4 GiB.
  public var keepFree: DiskShare?
  /// How old records may be, in microseconds; `.max` for any age.
  public var maximumRetention = Int64.max

  // [Sessions]

  /// The name of the policy for clients that no policy section claims.
  public var defaultPolicy = Policy.safari.name
  /// After how long without a record a session is closed, in microseconds.
  public var sessionIdle: Int64 = 86_400_000_000

  // [Access]

  /// Who besides root may open sessions and append to them: users, and groups with `@`; everyone when it is empty.
  public var feeders: [AccountName] = []
  /// The group whose members see everyone's clients.
  public var observersGroup: AccountName = "scroll-observers"
  /// Who besides root may manage the daemon and ask any client to scroll: users, and groups with `@`.
  public var managers: [AccountName] = []

  // [Limits]

  /// How large a message on the socket may be, in bytes.
  public var maximumMessageSize = 16 << 20
  /// How many connections there may be.
  public var maximumConnections = 4096
  /// How many connections one user may have; root is not counted.
  public var maximumConnectionsPerUser = 1024
  /// How many sessions one user may have open; root's are not counted.
  public var maximumSessionsPerUser = 4096
  /// How many subscriptions one user may have; root's are not counted.
  public var maximumSubscriptionsPerUser = 1024
  /// How many events one user may append in a second; root's are not counted.
  public var maximumEventsPerSecond = 100_000
  /// How much all connections together may hold, of what was received and what is to be sent, in bytes; `nil` for 256 MiB
  /// or four times what one user's may, whichever is more.
  public var maximumBuffer: Int?
  /// How much of it one user's connections may hold, in bytes; `nil` for 64 MiB or four messages of the largest size,
  /// whichever is more. Root's are not counted by user.
  public var maximumBufferPerUser: Int?
  /// How much may wait to be sent to one connection before its streams go back to the log, in bytes.
  public var maximumOutput = 256 << 10

  /// The policies that the files define, in the order in which they first name them.
  public var policySections: [PolicySection] = []

  /// The defaults.
  public init() {}

  /// How much all connections together may hold, in bytes.
  public var bufferLimit: Int { maximumBuffer ?? max(256 << 20, 4 * bufferLimitPerUser) }
  /// How much one user's connections may hold, in bytes.
  public var bufferLimitPerUser: Int { maximumBufferPerUser ?? max(64 << 20, 4 * maximumMessageSize) }

  /// The policy of a name: one that the files define, else a preset; `nil` where there is none.
  public func policy(named name: String) -> Policy? {
    policySections.first { $0.policy.name == name }?.policy ?? Policy.preset(named: name)
  }
}
