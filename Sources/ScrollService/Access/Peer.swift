/// The credentials of the process at the other end of a connection, as reported by the kernel.
public struct Peer: Equatable, Sendable {
  /// The user id of the process when it connected.
  public var user: UInt32
  /// The group ids of the process when it connected, including the supplementary ones.
  public var groups: [UInt32]

  /// Creates a peer.
  public init(user: UInt32, groups: [UInt32] = []) {
    self.user = user
    self.groups = groups
  }
}

/// Names a connection for as long as the daemon runs.
typealias ConnectionID = UInt64
