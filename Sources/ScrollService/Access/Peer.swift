// Who is at the other end of a connection.

/// Who is at the other end of a connection, as the kernel says.
public struct Peer: Equatable, Sendable {
  /// The user id that the process had when it connected.
  public var user: UInt32
  /// The group ids that it had, the supplementary ones too.
  public var groups: [UInt32]

  /// A peer of a user and groups.
  public init(user: UInt32, groups: [UInt32] = []) {
    self.user = user
    self.groups = groups
  }
}
