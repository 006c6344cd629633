/// The resources of the daemon that one user takes, over all of the user's connections.
final class UserShare {
  let user: UInt32
  var connections = 0
  /// What the user's connections hold, in bytes: input to be processed, output to be sent, and what their streams need.
  var bufferedBytes = 0
  /// What the user's open sessions take at most, in bytes.
  var sessionBytes = 0
  /// The block under construction that the user's records were last added to, and how much they take of it, in bytes.
  var pendingBlock: Int64 = -1
  var pendingBytes = 0
  /// Events that may still be appended.
  var events: RateBudget
  /// Bytes that may still be written to the log.
  var bytes: RateBudget
  /// How many events were charged so far.
  var chargedEvents: Int64 = 0
  /// Bytes of incomplete messages that may still be received.
  var unfinished: RateBudget
  /// Protocol violations that are still accepted from new connections.
  var violations: RateBudget
  /// Whether the budget of events or bytes was spent, and calls may still wait for it.
  var isThrottled = false
  /// The connections whose calls wait for the budget, the first one first.
  var waiting: [ConnectionID] = []
  var refusals = RefusalCount()

  init(user: UInt32, limits: ConnectionLimits, now: Int64) {
    self.user = user
    events = RateBudget(rate: limits.eventsPerSecond, now: now)
    bytes = RateBudget(rate: limits.bytesPerSecond, now: now)
    unfinished = RateBudget(rate: limits.unfinishedBytesPerSecond, now: now)
    violations = RateBudget(rate: limits.violationsPerSecond, now: now)
  }

  /// Whether nothing more may be appended for now.
  var isSpent: Bool { events.isSpent || bytes.isSpent }

  /// Whether the user can be forgotten: no connection, full budgets, and no refusal left to report.
  func isForgettable(limits: ConnectionLimits, now: Int64) -> Bool {
    connections == 0 && sessionBytes == 0 && refusals.isIdle(now)
      && events.isFull(rate: limits.eventsPerSecond, now: now)
      && bytes.isFull(rate: limits.bytesPerSecond, now: now)
      && unfinished.isFull(rate: limits.unfinishedBytesPerSecond, now: now)
      && violations.isFull(rate: limits.violationsPerSecond, now: now)
  }
}
