import Platform
import ScrollModel
internal import Varlink

/// Sends a session's events from one thread, across lost connections: it sends unanswered events again when the daemon is
/// back.
///
///     let feeder = Feeder(Feed.Options(client: "reader/1"), at: .standard()) { update in print(update) }
///     try feeder.append([event])          // sends it now, or later when the daemon is away
///     try feeder.close(timeout: .seconds(5))
///
/// While the daemon is away, up to ``Feed/Options/capacity`` events wait in memory. When the queue is full,
/// ``append(_:timeout:)`` waits for room, then throws without accepting any of its events: no accepted event is dropped
/// silently. ``close(timeout:)`` throws if the daemon has not got all of them, and a feeder that ends without it reports them on
/// standard error. A feeder works only during calls; when you have nothing to append for long, call ``work(timeout:)`` now and
/// then.
public final class Feeder {
  private let feed: Feed
  private let address: ServiceAddress
  private var socket: ClientSocket?
  /// How many events without an answer the caller knows of.
  private var reportedCount = 0

  /// Creates a feeder, which connects when it is first used.
  ///
  /// - Parameters:
  ///   - options: The session and how to send it.
  ///   - address: The daemon's address.
  ///   - onUpdate: Called with each update. It must not call the feeder.
  public init(
    _ options: Feed.Options, at address: ServiceAddress, onUpdate: @escaping (FeedUpdate) -> Void = { _ in }
  ) {
    feed = Feed(options, at: .now, onUpdate: onUpdate)
    self.address = address
  }

  // A program that ends without looking must not lose events without anyone noticing.
  deinit {
    let count = feed.unansweredCount
    if count > reportedCount {
      StandardError.write(
        "ScrollClient: the feeder of “\(feed.client)” ended with \(count == 1 ? "1 event" : "\(count) events") that scrolld "
          + "has not acknowledged; close(timeout:) waits for that\n")
    }
  }

  /// The session.
  public var session: SessionID { feed.session }

  /// The number of events that the daemon has not answered.
  public var unansweredCount: Int { feed.unansweredCount }

  /// Accepts events, all or none, and sends what it can. It waits only when the queue is full.
  ///
  /// - Parameters:
  ///   - events: At most ``Feed/Options/capacity`` events.
  ///   - timeout: How long to wait for room; without a limit when `nil`, not at all when zero.
  /// - Throws: ``FeederError``.
  public func append(_ events: [Event], timeout: Duration? = nil) throws(FeederError) {
    try feed.check(events)
    work(until: timeout.map { .now + $0 }) { feed.room >= events.count }
    try feed.append(events)
    work(until: .now)
  }

  /// Waits until the daemon has answered all events.
  ///
  /// - Parameter timeout: How long to wait; without a limit when `nil`.
  /// - Returns: Whether it has; false when the timeout expired.
  @discardableResult
  public func flush(timeout: Duration? = nil) -> Bool {
    work(until: timeout.map { .now + $0 }) { feed.unansweredCount == 0 }
    return feed.unansweredCount == 0
  }

  /// Waits until the daemon has answered all events and closed the session. The feeder accepts no further events.
  ///
  /// - Parameter timeout: How long to wait; without a limit when `nil`.
  /// - Throws: ``FeederError/notDelivered(count:)`` when the timeout expired. You can then call it again; if you drop the feeder
  ///   instead, these events are lost.
  public func close(timeout: Duration? = nil) throws(FeederError) {
    feed.close()
    work(until: timeout.map { .now + $0 }) { feed.hasEnded }
    reportedCount = feed.unansweredCount
    if !feed.hasEnded { throw .notDelivered(count: feed.unansweredCount) }
  }

  /// Connects, sends and receives for a while. With a timeout of zero it does what it can without waiting.
  public func work(timeout: Duration) { work(until: .now + timeout) }

  private func work(until moment: ContinuousClock.Instant?, _ isDone: () -> Bool = { false }) {
    while !isDone(), !feed.hasEnded {
      guard let due = feed.connectDue else {
        exchange(until: moment)
        if let moment, moment <= .now { break }
        continue
      }
      socket = nil
      if due <= .now {
        connect()
      } else {
        if let moment, moment <= .now { break }
        Platform.sleep(until: moment.map { min($0, due) } ?? due)
      }
    }
    if feed.hasEnded { socket = nil }
  }

  private func connect() {
    do {
      let socket = try ClientSocket(address.varlinkAddress)
      self.socket = socket
      feed.beginConnection(socket.connection)
    } catch {
      feed.loseConnection(ServiceError(error, connectingTo: address), at: .now)
    }
  }

  private func exchange(until moment: ContinuousClock.Instant?) {
    guard let socket else { return }
    do throws(SocketError) {
      try socket.exchange(until: moment)
      feed.handleReplies(at: .now, address: address)
      if socket.hasReceivedEnd, feed.connectDue == nil { throw .closedByPeer(address: address.description) }
    } catch {
      feed.loseConnection(ServiceError(error, talkingTo: address), at: .now)
    }
  }
}
