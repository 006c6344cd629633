internal import JSON
import ScrollModel
internal import Varlink

/// A subscription across connections: a state machine without I/O and without a clock. ``Watcher`` runs it over sockets.
///
/// A watch remembers its position and the log's generation, and continues from there after a lost connection, so that it
/// reports each transition once. Before the first `caughtUp` it has no position to continue from, and begins with the present
/// states again. When it cannot continue, it reports so, and the current states follow. It stores no replies: they stay in the
/// connection until you ask for them.
public final class Watch {
  private enum Phase {
    case away(until: ContinuousClock.Instant)
    case watching(ClientConnection)
  }

  /// How long the daemon may be silent before the connection counts as lost. Streams have a heartbeat every 30 s.
  static let silence = Duration.seconds(60)

  private var query: SubscriptionQuery
  private let address: ServiceAddress
  private let random: () -> UInt64
  private let parser = JSONParser()
  private var phase: Phase
  private var backoff: Backoff
  private var hasReportedAway = false
  /// Whether the watch can continue from `query.after`.
  private var hasPosition: Bool
  private var lastHeard: ContinuousClock.Instant
  /// Whether anything arrived over this connection.
  private var hasHeard = false
  private var updates: [WatchUpdate] = []

  /// Creates a watch that is about to connect.
  ///
  /// - Parameters:
  ///   - query: What to watch, and optionally the position to continue from.
  ///   - address: The daemon's address, for errors.
  ///   - backoff: The waits between attempts to connect.
  ///   - now: The current time.
  ///   - random: Returns random bits, for the waits.
  public init(
    _ query: SubscriptionQuery, of address: ServiceAddress, backoff: Backoff = Backoff(),
    at now: ContinuousClock.Instant, random: @escaping () -> UInt64 = { .random(in: 0 ... .max) }
  ) {
    self.query = query
    self.address = address
    self.backoff = backoff
    self.random = random
    hasPosition = query.after != nil
    phase = .away(until: now)
    lastHeard = now
  }

  /// The position that the updates have reached; `nil` while the watch has none to continue from.
  public var position: Position? { hasPosition ? query.after : nil }

  /// The log's generation, to which the position belongs, once it is known.
  public var generation: Int64? { query.generation }

  // MARK: Connections

  /// When to connect; `nil` while connected.
  public var connectDue: ContinuousClock.Instant? {
    if case .away(let due) = phase { due } else { nil }
  }

  /// When the connection counts as lost because of silence; `nil` while not connected.
  public var silenceDue: ContinuousClock.Instant? {
    if case .watching = phase { lastHeard + Self.silence } else { nil }
  }

  /// Subscribes over a new connection.
  public func beginConnection(_ buffer: ConnectionBuffer, at now: ContinuousClock.Instant) {
    beginConnection(buffer.connection, at: now)
  }

  func beginConnection(_ connection: ClientConnection, at now: ContinuousClock.Instant) {
    phase = .watching(connection)
    lastHeard = now
    hasHeard = false
    if !hasPosition {
      query.after = nil
      query.generation = nil
    }
    let query = query
    connection.call("org.scrolld.Observer.Subscribe", .more) { query.writeMembers(to: &$0) }
  }

  /// Gives up the connection, or a failed attempt to connect. The next connection repeats the replies that nobody has taken.
  public func loseConnection(_ error: ServiceError, at now: ContinuousClock.Instant) {
    if hasHeard { backoff.reset() }
    hasHeard = false
    if !hasReportedAway { updates.append(.away(error)) }
    hasReportedAway = true
    waitToConnect(now)
  }

  private func waitToConnect(_ now: ContinuousClock.Instant) {
    let fraction = Double(random() >> 11) * 0x1p-53
    phase = .away(until: now + backoff.next(random: fraction))
  }

  // MARK: Updates

  /// Returns the next update from what the connection has received; `nil` when it has none.
  public func nextUpdate(at now: ContinuousClock.Instant) -> WatchUpdate? {
    while true {
      if !updates.isEmpty { return updates.removeFirst() }
      guard case .watching(let connection) = phase else { return nil }
      if let due = silenceDue, due <= now {
        loseConnection(.timedOut(address), at: now)
        continue
      }
      do {
        guard try connection.nextReply(using: parser, { try handle($0, now) }) != nil else { return nil }
      } catch {
        loseConnection(ServiceError(receiving: error, from: address), at: now)
      }
    }
  }

  private func handle(_ reply: Reply, _ now: ContinuousClock.Instant) throws(MalformedReport) {
    lastHeard = now
    if let error = reply.error { return handle(ServiceRefusal(error), now) }
    let received: SubscriptionReply
    do { received = try SubscriptionReply(ReplyMembers(reply.parameterObject)) } catch { throw .member(error.name) }
    if !hasHeard { updates.append(.connected(after: position)) }
    hasHeard = true
    hasReportedAway = false
    if case .caughtUp(let generation) = received.content {
      hasPosition = true
      query.generation = generation
    }
    if hasPosition { query.after = received.position }
    updates.append(.reply(received))
    if !reply.continues { loseConnection(.connectionLost(address, reason: "the subscription ended"), at: now) }
  }

  private func handle(_ refusal: ServiceRefusal, _ now: ContinuousClock.Instant) {
    switch refusal {
    case .positionTakenBack, .positionTrimmed, .noSuchPosition, .logDamaged:
      hasPosition = false
      updates.append(.positionLost(refusal))
    default:
      updates.append(.refused(refusal))
    }
    hasHeard = false
    waitToConnect(now)
  }
}
