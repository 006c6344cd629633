import ScrollModel
internal import Varlink

/// The log's records, those that it has and those that will come.
///
///     for update in try LogFollower(LogQuery(), at: .standard()) {
///       if case .entry(let entry) = try update.get() { print(entry.position, entry.client) }
///     }
///
/// A follower is a sequence that waits for each record and ends only with an error. Its elements are `Result`s for the
/// reason that ``ReplyStream`` gives.
///
/// A subscription rings when there is something to read. Requests and responses change no state, so no subscription
/// reports them; for their sake the follower also reads the log at intervals, which grow with the cost of a reading.
public final class LogFollower: Sequence {
  /// What a follower returns.
  public enum Update: Equatable, Sendable {
    /// A record of the log.
    case entry(LogEntry)
    /// The follower has returned every record that the log had at the beginning. Comes once.
    case caughtUp
  }

  /// Takes a follower's updates one by one.
  public struct Iterator: IteratorProtocol {
    fileprivate let follower: LogFollower

    /// Waits for the next update.
    ///
    /// - Returns: The update, or the error that ended the follower; `nil` after it.
    public mutating func next() -> Result<Update, ServiceError>? {
      do throws(ServiceError) {
        guard case .element(let update) = try follower.next() else { return nil }
        return .success(update)
      } catch {
        return .failure(error)
      }
    }
  }

  /// The shortest time between two readings when the subscription is silent.
  public static let interval = Duration.milliseconds(100)
  /// The time between two readings when the subscription is silent, as a multiple of what the first of them took.
  static let restFactor = 20

  /// The position up to which the follower has returned every record that its query asks for; `nil` before the first. After an
  /// error, another follower can continue after it.
  public private(set) var position: Position?

  private let reader: ServiceConnection
  private let bell: ReplyStream<SubscriptionReply>
  private var query: LogQuery
  /// The position that the subscription has reached.
  private var rung: Position = 0
  private var reading: Reading?
  private var nextReading = ContinuousClock.now
  private var hasCaughtUp = false
  private var hasEnded = false

  /// One reading of the log that is under way.
  private struct Reading {
    let entries: ReplyStream<LogEntry>
    let begin = ContinuousClock.now
    /// The position that the next reading begins after.
    var seen: Position
  }

  /// Follows the records that a query asks for, after its `after`. Its `limit` has no effect.
  ///
  /// - Throws: ``ServiceError``, as ``ServiceConnection/subscribe(_:)``.
  public init(_ query: LogQuery, at address: ServiceAddress) throws(ServiceError) {
    self.query = query
    self.query.limit = nil
    reader = try ServiceConnection(address)
    var subscription = SubscriptionQuery()
    if let client = query.client { subscription.clients = [client] }
    subscription.detail = .frames
    // Subscribed before the first reading, so that nothing falls between the two.
    bell = try ServiceConnection(address).subscribe(subscription)
    for reply in bell {
      let reply = try reply.get()
      rung = Swift.max(rung, reply.position)
      if case .caughtUp = reply.content { break }
    }
  }

  /// Returns an iterator over the updates that nobody has taken yet.
  public func makeIterator() -> Iterator { Iterator(follower: self) }

  /// Waits for the next update.
  ///
  /// - Parameter timeout: How long to wait; without a limit when `nil`.
  /// - Returns: ``NextElement/ended`` only after an error.
  /// - Throws: ``ServiceError``, which ends the follower.
  public func next(timeout: Duration? = nil) throws(ServiceError) -> NextElement<Update> {
    if hasEnded { return .ended }
    do throws(ServiceError) {
      let deadline = timeout.map { ContinuousClock.now + $0 }
      while true {
        if reading == nil {
          guard try waitForReading(until: deadline) else { return .timedOut }
          // The subscription has reported what is before `rung`, so that it can be read.
          reading = Reading(entries: try reader.read(query), seen: Swift.max(query.after ?? 0, rung))
        }
        if let update = try read(until: deadline) { return update }
      }
    } catch {
      hasEnded = true
      throw error
    }
  }

  /// Continues the reading that is under way.
  ///
  /// - Returns: `nil` when it has ended.
  private func read(until deadline: ContinuousClock.Instant?) throws(ServiceError) -> NextElement<Update>? {
    guard let reading else { return nil }
    switch try reading.entries.next(timeout: deadline.map { Swift.max(.zero, $0 - .now) }) {
    case .element(let entry):
      self.reading?.seen = Swift.max(reading.seen, entry.position)
      position = entry.position
      return .element(.entry(entry))
    case .timedOut: return .timedOut
    case .ended:
      query.after = reading.seen
      position = reading.seen
      self.reading = nil
      let end = ContinuousClock.now
      nextReading = end + Swift.max(Self.interval, (end - reading.begin) * Self.restFactor)
      if hasCaughtUp { return nil }
      hasCaughtUp = true
      return .element(.caughtUp)
    }
  }

  /// Waits until the log may have more records.
  ///
  /// - Returns: Whether it may; false when the deadline has passed.
  private func waitForReading(until deadline: ContinuousClock.Instant?) throws(ServiceError) -> Bool {
    let moment = Swift.min(nextReading, deadline ?? nextReading)
    waiting: while true {
      switch try bell.next(timeout: Swift.max(.zero, moment - .now)) {
      case .element(let reply):
        rung = Swift.max(rung, reply.position)
        // The subscription may report what has been read already.
        if rung <= query.after ?? 0 { continue }
        // One reading covers everything that has been reported by now.
        while case .element(let later) = try bell.next(timeout: .zero) { rung = Swift.max(rung, later.position) }
        return true
      case .timedOut: break waiting
      case .ended: throw .connectionLost(reader.address, reason: "the subscription ended")
      }
    }
    return nextReading <= .now
  }
}
