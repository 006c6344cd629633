// What one user may take of the daemon: events a second, what is no message, and memory.

import ScrollModel
import Varlink

extension Service {
  /// The most bytes that are received from a connection in one go: what is received from the others waits meanwhile.
  static let largestReceipt = 64 << 10
  /// How many calls of one connection are taken before the others get their turn.
  static let callsPerTurn = 64
  /// What a connection may send and be sent at once even where many share what there is, in bytes.
  static let smallestPart = 4096

  /// What a user takes of the daemon.
  func share(of user: UInt32) -> UserShare {
    if let share = users[user] { return share }
    let now = clock.monotonic()
    let share = UserShare(
      user: user, budget: RateBudget(rate: configuration.maximumEventsPerSecond, now: now),
      unfinished: RateBudget(rate: unfinishedRate, now: now),
      violations: RateBudget(rate: Self.violationsPerSecond, now: now))
    users[user] = share
    return share
  }

  /// Forgets users of whom there is nothing to remember, and tells what was kept back of the others.
  func tellRefusals(_ now: Int64) {
    for share in users.values {
      if let text = share.refusals.takeKeptBack(now) { journal.log(.refusalsSuppressed(text, of: share.user)) }
      if share.connections == 0, share.refusals.isOver(now),
        share.budget.isFull(rate: configuration.maximumEventsPerSecond, now: now),
        share.unfinished.isFull(rate: unfinishedRate, now: now),
        share.violations.isFull(rate: Self.violationsPerSecond, now: now)
      {
        users[share.user] = nil
      }
    }
  }

  /// Says what a user brought about, unless something was said lately.
  func logRefusal(
    _ kind: RefusalCount.Kind, of share: UserShare, _ entry: @autoclosure () -> JournalEntry,
    file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    if share.refusals.admits(kind, clock.monotonic()) {
      journal.log(entry(), file: file, line: line, function: function)
    }
  }

  // MARK: Events a second

  /// Takes events out of a user's budget. Root's are not counted.
  func charge(_ count: Int, to connection: Connection) {
    let share = connection.share
    guard share.user != 0 else { return }
    share.budget.spend(count, rate: configuration.maximumEventsPerSecond, now: clock.monotonic())
    guard share.budget.isSpent, !share.isHeldBack else { return }
    share.isHeldBack = true
    spentUsers.append(share)
    metrics.usersHeldBack += 1
    logRefusal(.rate, of: share, .heldBack(share.user, limit: configuration.maximumEventsPerSecond))
  }

  /// Lets a connection's calls wait until its user's budget allows them.
  func waitForBudget(_ connection: Connection) {
    guard !connection.waitsForBudget else { return }
    connection.waitsForBudget = true
    connection.share.waiting.append(connection.id)
  }

  /// When a budget that is spent is there again, by the monotonic clock in microseconds, so that another turn is due;
  /// `nil` when none is spent.
  public var nextDue: Int64? {
    var due = spentUsers.map { $0.budget.due(rate: configuration.maximumEventsPerSecond) }
    for share in slowedUsers {
      if share.unfinished.isSpent { due.append(share.unfinished.due(rate: unfinishedRate)) }
      if share.violations.isSpent { due.append(share.violations.due(rate: Self.violationsPerSecond)) }
    }
    return due.min()
  }

  /// Lets those go on whose budget is there again, some connections a turn and those that have waited longest first.
  func advanceWaiting() {
    if spentUsers.isEmpty { return }
    let now = clock.monotonic()
    for share in spentUsers {
      for _ in 0..<Self.streamsPerTurn where !share.budget.isSpent && !share.waiting.isEmpty {
        guard let connection = connections[share.waiting.removeFirst()] else { continue }
        connection.waitsForBudget = false
        process(connection)
      }
      if share.waiting.isEmpty, !share.budget.isSpent {
        share.isHeldBack = false
      } else {
        // Renewed for the next turn: before that whoever has not been read gets in line, too.
        share.budget.refill(rate: configuration.maximumEventsPerSecond, now: now)
      }
    }
    spentUsers.removeAll { !$0.isHeldBack }
  }

  /// Whether calls that waited for a budget may be taken now.
  var hasRenewedBudget: Bool { spentUsers.contains { !$0.budget.isSpent } }

  // MARK: What is no message

  /// How many of a user's connections may break the protocol in a second before those that have not called yet have to wait.
  static let violationsPerSecond = 100

  /// How many bytes of messages that are not whole yet are taken from a user in a second: half of what may be held of them.
  ///
  /// To take in ever more of what is no message yet helps nobody, and memory that is filled, and let go of once it is too
  /// much, costs all others time. A user who sends messages, however large, stays far below it.
  private var unfinishedRate: Int { min(configuration.bufferLimitPerUser / 2, 1 << 40) }

  /// Takes bytes that make no message yet out of a user's budget. Root's are not counted.
  func chargeUnfinished(_ count: Int, to connection: Connection) {
    let share = connection.share
    guard count > 0, share.user != 0 else { return }
    let wasSpent = share.unfinished.isSpent
    share.unfinished.spend(count, rate: unfinishedRate, now: clock.monotonic())
    guard share.unfinished.isSpent, !wasSpent else { return }
    slow(share)
    logRefusal(.unfinished, of: share, .slowed(share.user, limit: unfinishedRate))
  }

  /// Takes a connection that broke the protocol out of its user's budget. Root's are not counted.
  ///
  /// Each costs a connection, which whoever does nothing else makes anew as fast as it is closed.
  func chargeViolation(_ share: UserShare) {
    guard share.user != 0 else { return }
    let wasSpent = share.violations.isSpent
    share.violations.spend(1, rate: Self.violationsPerSecond, now: clock.monotonic())
    if share.violations.isSpent, !wasSpent { slow(share) }
  }

  private func slow(_ share: UserShare) {
    metrics.usersHeldBack += 1
    if !slowedUsers.contains(where: { $0 === share }) { slowedUsers.append(share) }
  }

  /// Whether more of what may come to no message has to wait.
  func isSlowed(_ connection: Connection) -> Bool {
    let share = connection.share
    return share.unfinished.isSpent && connection.varlink.unfinishedInputCount > 0
      || share.violations.isSpent && !connection.hasCalled
  }

  /// Renews the budgets of those who sent too much of it.
  func renewSlowed() {
    if slowedUsers.isEmpty { return }
    let now = clock.monotonic()
    for share in slowedUsers {
      share.unfinished.refill(rate: unfinishedRate, now: now)
      share.violations.refill(rate: Self.violationsPerSecond, now: now)
    }
    slowedUsers.removeAll { !$0.unfinished.isSpent && !$0.violations.isSpent }
  }

  // MARK: Memory

  /// What may be received from a connection at once, and wait to be sent to it, before its user's and everybody's
  /// memory is divided too thinly: an eighth of it shared among the connections, in bytes.
  ///
  /// What waits to be sent may come to four times as much and one message, so it takes up about half of the limits,
  /// and calls that wait another eighth. Messages that are half received are all that can exceed them.
  private func part(of connection: Connection) -> Int {
    var part = configuration.bufferLimit / (8 * max(1, connections.count))
    if connection.peer.user != 0 {
      part = min(part, configuration.bufferLimitPerUser / (8 * max(1, connection.share.connections)))
    }
    return max(Self.smallestPart, part)
  }

  /// How much may wait to be sent to a connection before it gets no more, in bytes.
  func outputLimit(of connection: Connection) -> Int {
    min(configuration.maximumOutput, part(of: connection))
  }

  /// How much may be received from a connection in one go, in bytes.
  public func receiptLimit(of id: UInt64) -> Int {
    connections[id].map { min(Self.largestReceipt, part(of: $0)) } ?? Self.smallestPart
  }

  /// Counts what a connection holds.
  func countBuffered(_ connection: Connection) {
    let count = connection.varlink.bufferedInputCount + connection.varlink.bufferedOutputCount
    let change = count - connection.countedBytes
    connection.countedBytes = count
    connection.share.bufferedBytes += change
    bufferedBytes += change
  }

  /// Closes connections that hold more than a user or all may, those with the most first.
  func enforceBufferLimits(after connection: Connection) {
    let share = connection.share
    if share.user != 0 {
      while share.bufferedBytes > configuration.bufferLimitPerUser, let heaviest = heaviest(of: share) {
        drop(heaviest, limit: configuration.bufferLimitPerUser, "BufferPerUserMax=")
      }
    }
    // The user with the most loses a connection, not the one who came last.
    while bufferedBytes > configuration.bufferLimit,
      let user = users.values.max(by: { $0.bufferedBytes < $1.bufferedBytes }), let heaviest = heaviest(of: user)
    {
      drop(heaviest, limit: configuration.bufferLimit, "BufferMax=")
    }
  }

  /// The connection of a user that holds the most; `nil` when none holds anything.
  private func heaviest(of share: UserShare) -> Connection? {
    let candidates = connections.values.lazy.filter { $0.share === share && $0.countedBytes > 0 }
    return candidates.max { $0.countedBytes < $1.countedBytes }
  }

  private func drop(_ connection: Connection, limit: Int, _ key: String) {
    metrics.connectionsDropped += 1
    let held = connection.countedBytes
    logRefusal(
      .buffer, of: connection.share, .connectionDropped(of: connection.peer.user, held: held, key: key, limit: limit))
    connection.varlink.abandon()
    countBuffered(connection)
    markDirty(connection)
  }
}
