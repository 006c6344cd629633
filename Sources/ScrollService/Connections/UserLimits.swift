/// The users of the daemon and their rate limits. Root is not limited.
final class UserLimits {
  var limits: ConnectionLimits
  /// How many times a user was throttled.
  private(set) var throttleCount: Int64 = 0
  private var shares: [UInt32: UserShare] = [:]
  /// What the open sessions of all users but root take, in bytes.
  private(set) var sessionBytes = 0
  /// The users whose budget of events or bytes is spent, or with calls that still wait for it.
  private var spent: [UserShare] = []
  /// The users whose budget of incomplete messages or protocol violations is spent.
  private var slowed: [UserShare] = []
  private let clock: ServiceClock
  private let journal: LimitedJournal

  init(_ limits: ConnectionLimits, clock: ServiceClock, journal: Journal) {
    self.limits = limits
    self.clock = clock
    self.journal = LimitedJournal(journal, clock)
  }

  /// The users that are remembered.
  var users: some Collection<UserShare> { shares.values }

  /// A user who is remembered.
  subscript(user: UInt32) -> UserShare? { shares[user] }

  func share(of user: UInt32) -> UserShare {
    if let share = shares[user] { return share }
    let share = UserShare(user: user, limits: limits, now: clock.monotonic())
    shares[user] = share
    return share
  }

  // MARK: Sessions

  /// Adds to what the open sessions of a user take, in bytes.
  func charge(sessions bytes: Int, to user: UInt32) {
    share(of: user).sessionBytes += bytes
    if user != 0 { sessionBytes += bytes }
  }

  /// Returns whether the open sessions of a user may take so many bytes more: three quarters of the user's memory, and an
  /// eighth when the sessions of all users take half of the memory of all.
  func hasRoom(forSessions bytes: Int, of user: UInt32) -> Bool {
    if user == 0 { return true }
    let held = share(of: user).sessionBytes + bytes
    guard held <= limits.bufferPerUser / 4 * 3 else { return false }
    return held <= limits.bufferPerUser / 8 || sessionBytes + bytes <= limits.buffer / 2
  }

  // MARK: Refusals

  /// Logs a refusal that a user caused, or only counts it if another one was logged shortly before.
  func logRefusal(
    _ kind: RefusalCount.Kind, of share: UserShare, _ entry: @autoclosure () -> JournalEntry,
    file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    if share.refusals.admits(kind, clock.monotonic()) {
      journal.log(entry(), file: file, line: line, function: function)
    }
  }

  /// Logs the refusals that were only counted, and forgets inactive users.
  func tick(_ now: Int64) {
    for share in shares.values {
      if let text = share.refusals.takeSuppressed(now) { journal.log(.refusalsSuppressed(text, of: share.user)) }
      if share.isForgettable(limits: limits, now: now) { shares[share.user] = nil }
    }
    journal.tick(now)
  }

  // MARK: Events and bytes

  /// Charges a user for events.
  func charge(_ count: Int, to share: UserShare) {
    guard share.user != 0 else { return }
    share.chargedEvents += Int64(count)
    share.events.spend(count, rate: limits.eventsPerSecond, now: clock.monotonic())
    if share.events.isSpent { throttle(share, .throttled(share.user, limit: limits.eventsPerSecond)) }
  }

  /// Charges a user for bytes that are written to the log.
  func charge(bytes count: Int, to share: UserShare) {
    guard share.user != 0, count > 0 else { return }
    share.bytes.spend(count, rate: limits.bytesPerSecond, now: clock.monotonic())
    if share.bytes.isSpent { throttle(share, .throttled(share.user, bytesLimit: limits.bytesPerSecond)) }
  }

  private func throttle(_ share: UserShare, _ entry: @autoclosure () -> JournalEntry) {
    if share.isThrottled { return }
    share.isThrottled = true
    spent.append(share)
    throttleCount += 1
    logRefusal(.rate, of: share, entry())
  }

  /// Whether calls that wait for a budget may be handled.
  var hasRenewedBudget: Bool { spent.contains { !$0.isSpent } }

  /// Resumes connections whose user's budgets are renewed, one of each user per turn, that which has waited longest first.
  func resumeThrottled(_ resume: (ConnectionID) -> Void) {
    if spent.isEmpty { return }
    let now = clock.monotonic()
    for share in spent {
      // One at a time: the next one waits for its turn only if the budget suffices for it.
      if !share.isSpent, !share.waiting.isEmpty { resume(share.waiting.removeFirst()) }
      if share.waiting.isEmpty, !share.isSpent {
        share.isThrottled = false
      } else {
        // Not earlier: connections whose input was not received yet come first.
        share.events.refill(rate: limits.eventsPerSecond, now: now)
        share.bytes.refill(rate: limits.bytesPerSecond, now: now)
      }
    }
    spent.removeAll { !$0.isThrottled }
  }

  // MARK: Incomplete messages and violations

  /// Charges a user for bytes of an incomplete message.
  func chargeUnfinished(_ count: Int, to share: UserShare) {
    guard count > 0, share.user != 0 else { return }
    let wasSpent = share.unfinished.isSpent
    share.unfinished.spend(count, rate: limits.unfinishedBytesPerSecond, now: clock.monotonic())
    guard share.unfinished.isSpent, !wasSpent else { return }
    slow(share)
    logRefusal(.unfinished, of: share, .incompleteMessagesThrottled(share.user, limit: limits.unfinishedBytesPerSecond))
  }

  /// How many bytes of bad input count as a violation.
  private static let bytesPerViolation = 8 << 10

  /// Charges a user for a protocol violation. It ends the connection, but the peer may reconnect at once.
  ///
  /// - Parameter size: How much had to be read to find it, in bytes.
  func chargeViolation(to share: UserShare, size: Int = 0) {
    guard share.user != 0 else { return }
    let wasSpent = share.violations.isSpent
    share.violations.spend(1 + size / Self.bytesPerViolation, rate: limits.violationsPerSecond, now: clock.monotonic())
    if share.violations.isSpent, !wasSpent { slow(share) }
  }

  private func slow(_ share: UserShare) {
    throttleCount += 1
    if !slowed.contains(where: { $0 === share }) { slowed.append(share) }
  }

  /// Whether a connection is paused, because its user has sent too many incomplete messages or violations.
  func isSlowed(_ connection: Connection) -> Bool {
    let share = connection.share
    return share.unfinished.isSpent && connection.unfinishedInputCount > 0
      || share.violations.isSpent && !connection.hasCalled
  }

  /// Renews the budgets of incomplete messages and violations.
  func renewSlowed() {
    if slowed.isEmpty { return }
    let now = clock.monotonic()
    for share in slowed {
      share.unfinished.refill(rate: limits.unfinishedBytesPerSecond, now: now)
      share.violations.refill(rate: limits.violationsPerSecond, now: now)
    }
    slowed.removeAll { !$0.unfinished.isSpent && !$0.violations.isSpent }
  }

  // MARK: Time

  /// When the next spent budget is renewed, by the monotonic clock in microseconds; `nil` when none is spent.
  var nextDue: Int64? {
    var due = spent.map {
      max(
        $0.bytes.isSpent ? $0.bytes.due(rate: limits.bytesPerSecond) : .min, $0.events.due(rate: limits.eventsPerSecond)
      )
    }
    for share in slowed {
      if share.unfinished.isSpent { due.append(share.unfinished.due(rate: limits.unfinishedBytesPerSecond)) }
      if share.violations.isSpent { due.append(share.violations.due(rate: limits.violationsPerSecond)) }
    }
    return due.min()
  }
}
