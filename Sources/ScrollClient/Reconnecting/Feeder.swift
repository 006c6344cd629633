// Feeds a session and outlives connections.

import Glibc
import ScrollModel
import Varlink

/// Feeds a session from one thread, and outlives connections: what was not answered is sent again, once the daemon is
/// back.
///
///     let feeder = Feeder(Feed.Options(client: "reader/1"), at: .standard()) { news in print(news) }
///     try feeder.append([event])          // sends at once, or keeps it for later
///     feeder.close(patience: .seconds(5))
///
/// While the daemon is away events wait in memory, as many as ``Feed/Options/capacity`` says. When that is full,
/// ``append(_:patience:)`` waits as long as its caller has patience, then takes nothing and throws: an event that was
/// taken is never dropped silently. Nothing happens between calls; who has nothing to append for long calls
/// ``work(until:)``.
public final class Feeder {
  private let feed: Feed
  private let address: ServiceAddress
  private var socket: ClientSocket?

  /// A feeder that connects when it is first used.
  ///
  /// - Parameters:
  ///   - options: What is fed, and how.
  ///   - address: Where the daemon listens.
  ///   - tell: Is told what happens. It must not call the feeder.
  public init(
    _ options: Feed.Options, at address: ServiceAddress, tell: @escaping (FeedNews) -> Void = { _ in }
  ) {
    feed = Feed(options, at: .now, tell: tell)
    self.address = address
  }

  /// The session.
  public var session: SessionID { feed.session }

  /// How many events have no answer.
  public var unansweredCount: Int { feed.unansweredCount }

  /// Takes events, all or none, and sends what can be sent at once. It waits only while there is no room.
  ///
  /// - Parameters:
  ///   - events: At most as many as may wait.
  ///   - patience: How long to wait for room; for ever when `nil`, not at all with zero.
  /// - Throws: ``FeederError``.
  public func append(_ events: [Event], patience: Duration? = nil) throws(FeederError) {
    try feed.check(events)
    work(until: patience.map { .now + $0 }) { feed.room >= events.count }
    try feed.append(events)
    work(until: .now)
  }

  /// Waits until all events are answered.
  ///
  /// - Returns: Whether they are; false when the patience came to its end.
  @discardableResult
  public func flush(patience: Duration? = nil) -> Bool {
    work(until: patience.map { .now + $0 }) { feed.unansweredCount == 0 }
    return feed.unansweredCount == 0
  }

  /// Waits until all events are answered and the session is closed. Nothing is taken any more.
  ///
  /// - Returns: Whether it is closed; false when the patience came to its end, and then it may be called again.
  @discardableResult
  public func close(patience: Duration? = nil) -> Bool {
    feed.close()
    work(until: patience.map { .now + $0 }) { feed.hasEnded }
    return feed.hasEnded
  }

  /// Sends, receives and connects until a moment; what is there to do is done even when the moment has passed.
  public func work(until moment: ContinuousClock.Instant) {
    work(until: moment) { false }
  }

  private func work(until moment: ContinuousClock.Instant?, _ isDone: () -> Bool) {
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
        Pause.wait(until: moment.map { min($0, due) } ?? due)
      }
    }
    if feed.hasEnded { socket = nil }
  }

  private func connect() {
    do {
      let socket = try ClientSocket(address.varlinkAddress)
      self.socket = socket
      feed.connected(socket.connection, at: .now)
    } catch {
      feed.lost(ServiceError(error, connectingTo: address), at: .now)
    }
  }

  private func exchange(until moment: ContinuousClock.Instant?) {
    guard let socket else { return }
    do throws(SocketError) {
      try socket.exchange(until: moment)
      feed.received(at: .now, address: address)
      if socket.hasReceivedEnd, feed.connectDue == nil { throw .closedByPeer(address: address.description) }
    } catch {
      feed.lost(ServiceError(error, talkingTo: address), at: .now)
    }
  }
}
