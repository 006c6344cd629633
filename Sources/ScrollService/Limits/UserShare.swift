// What one user takes of the daemon.

/// What one user takes of the daemon, over all connections. They share it, as the limits are the user's, not theirs.
final class UserShare {
  let user: UInt32
  /// How many connections the user has.
  var connections = 0
  /// What was received from them and not yet taken, and what waits to be sent, in bytes.
  var bufferedBytes = 0
  /// How many events the user may still send.
  var budget: RateBudget
  /// How many bytes of messages that are not whole yet may still be taken from the user.
  var unfinished: RateBudget
  /// How many of the user's connections may still break the protocol.
  var violations: RateBudget
  /// The budget was spent, and not everybody has gone on who had to wait for it.
  var isHeldBack = false
  /// The connections whose calls wait for the budget, in the order in which they came to wait.
  var waiting: [Connection.ID] = []
  /// What was refused.
  var refusals = RefusalCount()

  init(user: UInt32, budget: RateBudget, unfinished: RateBudget, violations: RateBudget) {
    self.user = user
    self.budget = budget
    self.unfinished = unfinished
    self.violations = violations
  }
}
