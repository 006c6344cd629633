// Reads the log's records as they come.

import ScrollModel

/// Reads the log's records as they come.
///
///     let follower = try LogFollower(LogQuery(), at: .standard())
///     repeat { try follower.read { print($0.position, $0.client) } } while try follower.wait()
///
/// A subscription is the bell: whatever it tells, there is more to read. It tells nothing of requests and responses, which
/// change no state, so the log is also read every now and then, the more rarely the more that costs.
public final class LogFollower {
  /// How long after a reading the next one comes when no bell rings.
  public static let interval = Duration.milliseconds(100)
  /// How many times as long as a reading took the next one waits when no bell rings.
  static let restFactor = 20

  private let reader: ServiceConnection
  private let bell: ReplyStream<SubscriptionReply>
  private var query: LogQuery
  /// Up to which position the subscription has come.
  private var rung: Position = 0
  private var nextReading = ContinuousClock.now

  /// Follows the records that a query asks for, from its `after` on. Its `limit` is passed over.
  ///
  /// - Throws: ``ServiceError``, as ``ServiceConnection/subscribe(_:)``.
  public init(_ query: LogQuery, at address: ServiceAddress) throws(ServiceError) {
    self.query = query
    self.query.limit = nil
    reader = try ServiceConnection(address)
    var subscription = SubscriptionQuery()
    if let client = query.client { subscription.clients = [client] }
    subscription.detail = .frames
    // It stands before the first reading, so that nothing falls between the two.
    bell = try ServiceConnection(address).subscribe(subscription)
    while case .reply(let reply) = try bell.next() {
      rung = max(rung, reply.position)
      if case .caughtUp = reply.content { break }
    }
  }

  /// Reads what has come since the reading before.
  ///
  /// - Parameter body: Is called with each record. What it throws ends the follower's use.
  /// - Throws: ``ServiceError``, as ``ServiceConnection/read(_:)``, and what `body` throws.
  public func read(_ body: (LogEntry) throws -> Void) throws {
    let begin = ContinuousClock.now
    // What the bell has told of is there to be read.
    var seen = max(query.after ?? 0, rung)
    let entries = try reader.read(query)
    while case .reply(let entry) = try entries.next() {
      guard let entry else { continue }
      seen = max(seen, entry.position)
      try body(entry)
    }
    query.after = seen
    let end = ContinuousClock.now
    nextReading = end + max(Self.interval, (end - begin) * Self.restFactor)
  }

  /// Waits until there may be more to read.
  ///
  /// - Parameter deadline: Until when to wait at most; without end when `nil`.
  /// - Returns: Whether to read on; false when the deadline has passed.
  /// - Throws: ``ServiceError`` when the daemon is gone.
  public func wait(until deadline: ContinuousClock.Instant? = nil) throws(ServiceError) -> Bool {
    if let deadline, deadline <= .now { return false }
    let moment = min(nextReading, deadline ?? nextReading)
    while case .reply(let reply) = try bell.next(timeout: max(.zero, moment - .now)) {
      rung = max(rung, reply.position)
      // It may tell of what has been read already.
      if rung <= query.after ?? 0 { continue }
      // One reading does for all that has rung by now.
      while case .reply(let later) = try bell.next(timeout: .zero) { rung = max(rung, later.position) }
      break
    }
    return true
  }
}
