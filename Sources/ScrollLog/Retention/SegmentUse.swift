import ScrollModel

/// Whose records a sealed segment holds, and whose sessions its head describes.
public struct SegmentUse: Equatable, Sendable {
  /// The size of each user's records and sessions before packing, in bytes.
  public private(set) var users: [UInt32: Int64] = [:]

  /// Creates the use of a segment without records.
  public init(users: [UInt32: Int64] = [:]) { self.users = users }

  /// Returns the use with the records of several ids counted for one user.
  ///
  /// - Parameter account: Returns the user for whom an id counts.
  func counted(for account: (UInt32) -> UInt32) -> SegmentUse {
    var counted = SegmentUse()
    for (user, bytes) in users { counted.add(bytes, of: account(user)) }
    return counted
  }

  mutating func add(_ bytes: Int64, of user: UInt32) { users[user, default: 0] += bytes }

  /// The size of all of them.
  var bytes: Int64 { users.values.reduce(0, +) }
}
