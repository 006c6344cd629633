import ScrollLog
import ScrollModel

/// A cursor over the open sessions, in the order of their opening.
///
/// It holds nothing but positions, so an answer that its reader doesn't read costs no memory, and reports states as they are
/// when they are sent.
struct SessionCursor: Equatable, Sendable {
  /// The user whose sessions it finds; `nil` for everyone's.
  let user: UInt32?
  /// The position of the last opening that it has passed.
  private(set) var position: Position
  /// The last opening that it finds. Sessions that are opened later are not part of the answer.
  let last: Position

  /// How many sessions a turn examines at most.
  static let sessionsPerTurn = 64

  /// Returns how many sessions a turn examines, so that matching them with the patterns of a call takes a bounded time.
  static func sessionsPerTurn(matching glob: Glob) -> Int { Int(min(Int64(sessionsPerTurn), glob.recordsPerTurn)) }

  init(user: UInt32?, after position: Position = 0, through last: Position) {
    self.user = user
    self.position = position
    self.last = last
  }

  /// Whether the cursor has yet to reach a session.
  func isAhead(_ session: Session) -> Bool { session.openedPosition > position && session.openedPosition <= last }

  /// Moves to the next session that satisfies a condition.
  ///
  /// - Parameter budget: How many sessions may be examined.
  /// - Returns: The session; `nil` when none is left, or when the budget is spent.
  mutating func next(in horizon: Horizon, budget: inout Int, where matches: (Session) -> Bool) -> Session? {
    while budget > 0, let session = horizon.session(openedAfter: position, of: user), session.openedPosition <= last {
      budget -= 1
      position = session.openedPosition
      if matches(session) { return session }
    }
    return nil
  }
}
