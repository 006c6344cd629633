import ScrollLog
import ScrollModel

/// The ids of closed sessions, which their users can't use again as long as they are remembered.
///
/// The daemon remembers those that it read when it started, and the newest ones of each user since. A user who opens and
/// closes sessions without end displaces no other user's.
struct ClosedSessions {
  /// How many of the newest ids of each user are remembered for certain. They take half a MiB.
  static let limitPerUser = 8192

  /// The ids that were read at the start.
  private var read: [SessionID: SessionOwner]
  private var byAccount: [UInt32: ClosedSessionIDs] = [:]

  init(_ read: [SessionID: SessionOwner]) { self.read = read }

  /// All ids that are remembered, as the log has them.
  var all: Set<SessionID> { byAccount.values.reduce(into: Set(read.keys)) { $0.formUnion($1.all.keys) } }

  /// Returns whether a session of some user is remembered under an id, as the log has it.
  func contains(_ id: SessionID) -> Bool { read[id] != nil || byAccount.values.contains { $0[id] != nil } }

  /// Returns whether a user has closed a session.
  ///
  /// - Parameter account: The user for whom the user's sessions count.
  func contains(_ name: SessionName, of account: UInt32) -> Bool {
    if isOwned(read[name.alias], by: name.user) || isOwned(byAccount[account]?[name.alias], by: name.user) {
      return true
    }
    if SessionName.isAlias(name.id) { return false }
    return isOwned(read[name.id], by: name.user) || isOwned(byAccount[account]?[name.id], by: name.user)
  }

  /// The owner of a forgotten session is unknown, so nobody can use its id again.
  private func isOwned(_ owner: SessionOwner?, by user: UInt32) -> Bool { owner == .unknown || owner == .user(user) }

  /// Adds a session that counts for a user.
  mutating func insert(_ session: ClosedSession, of account: UInt32) {
    byAccount[account, default: ClosedSessionIDs(limit: Self.limitPerUser)].insert(session.id, of: session.owner)
  }

  /// Removes the id of a session whose closing was dropped, or which never existed.
  mutating func remove(_ id: SessionID, of account: UInt32) {
    read[id] = nil
    byAccount[account]?.remove(id)
  }
}
