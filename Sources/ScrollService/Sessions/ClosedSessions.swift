import ScrollLog
import ScrollModel

/// The ids of closed sessions, which can't be used again as long as they are remembered.
///
/// The daemon remembers those that it read when it started, and the newest ones of each user since. A user who opens and
/// closes sessions without end displaces no other user's.
struct ClosedSessions {
  /// How many of the newest ids of each user are remembered for certain. They take half a MiB.
  static let limitPerUser = 8192

  /// The ids that were read at the start.
  private var read: Set<SessionID>
  private var byUser: [UInt32: ClosedSessionIDs] = [:]

  init(_ read: Set<SessionID>) { self.read = read }

  /// All ids that are remembered.
  var all: Set<SessionID> { byUser.values.reduce(into: read) { $0.formUnion($1.all) } }

  func contains(_ id: SessionID) -> Bool { read.contains(id) || byUser.values.contains { $0.contains(id) } }

  /// Adds the id of a session that counts for a user.
  mutating func insert(_ id: SessionID, of user: UInt32) {
    byUser[user, default: ClosedSessionIDs(limit: Self.limitPerUser)].insert(id)
  }

  /// Removes the id of a session whose closing was dropped, or which never existed.
  mutating func remove(_ id: SessionID, of user: UInt32) {
    read.remove(id)
    byUser[user]?.remove(id)
  }
}
