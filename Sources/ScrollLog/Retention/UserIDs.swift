/// The user ids that count as one user: a user's own and the subordinate ones.
public struct UserIDs: Equatable, Sendable {
  /// The user's own id.
  public let owner: UInt32
  /// The subordinate ids.
  public let subordinates: [ClosedRange<UInt32>]

  /// Creates the ids of a user.
  public init(owner: UInt32, subordinates: [ClosedRange<UInt32>] = []) {
    self.owner = owner
    self.subordinates = subordinates
  }

  /// Returns whether an id is one of them.
  public func contains(_ id: UInt32) -> Bool { id == owner || subordinates.contains { $0.contains(id) } }
}
