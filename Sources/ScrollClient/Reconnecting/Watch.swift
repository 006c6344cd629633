// A subscription over as many connections as it takes.

import JSON
import ScrollModel
import Varlink

/// A subscription over as many connections as it takes: a state machine that does no I/O and knows no time but what
/// it is told. ``Watcher`` is the shell around it.
///
/// It remembers the last position and the generation, and goes on from there after a loss: each transition comes
/// once. Before the first `caughtUp` there is no place to go on from, so a loss then begins anew. Where going on is
/// impossible that is told, and the present follows. It keeps no replies: they stay in the connection until they are
/// asked for.
public final class Watch {
  private enum Phase {
    case away(until: ContinuousClock.Instant)
    case watching(ClientConnection)
  }

  /// After how long without a word the daemon counts as gone; streams say something every 30 s.
  static let silence = Duration.seconds(60)

  private var query: SubscriptionQuery
  private let address: ServiceAddress
  private let random: () -> UInt64
  private let parser = JSONParser()
  private var phase: Phase
  private var backoff: Backoff
  private var isAwayTold = false
  /// Whether `query.after` is a place to go on from.
  private var hasPlace: Bool
  private var lastHeard: ContinuousClock.Instant
  /// Whether this connection has brought anything.
  private var hasHeard = false
  private var waiting: [WatchNews] = []

  /// A watch that is about to connect.
  ///
  /// - Parameters:
  ///   - query: What is watched, and perhaps from where on.
  ///   - address: Where the daemon listens, for errors.
  ///   - backoff: How long to wait between attempts to connect.
  ///   - now: The time.
  ///   - random: Random bits, for the waits.
  public init(
    _ query: SubscriptionQuery, of address: ServiceAddress, backoff: Backoff = Backoff(),
    at now: ContinuousClock.Instant, random: @escaping () -> UInt64 = { .random(in: 0 ... .max) }
  ) {
    self.query = query
    self.address = address
    self.backoff = backoff
    self.random = random
    hasPlace = query.after != nil
    phase = .away(until: now)
    lastHeard = now
  }

  /// The position that everything up to was told of; `nil` while there is none to go on from.
  public var position: Position? { hasPlace ? query.after : nil }

  /// The generation that the position belongs to, once it is known.
  public var generation: Int64? { query.generation }

  // MARK: Connections

  /// When to connect; `nil` while connected.
  public var connectDue: ContinuousClock.Instant? {
    if case .away(let due) = phase { due } else { nil }
  }

  /// When silence counts as a loss; `nil` while not connected.
  public var silenceDue: ContinuousClock.Instant? {
    if case .watching = phase { lastHeard + Self.silence } else { nil }
  }

  /// A connection stands.
  public func connected(_ connection: ClientConnection, at now: ContinuousClock.Instant) {
    phase = .watching(connection)
    lastHeard = now
    hasHeard = false
    if !hasPlace {
      query.after = nil
      query.generation = nil
    }
    let query = query
    connection.call("org.scrolld.Observer.Subscribe", .more) { query.writeMembers(to: &$0) }
  }

  /// There is no connection, or none any more. What of its replies was not asked for is lost, and told again by the
  /// next.
  public func lost(_ error: ServiceError, at now: ContinuousClock.Instant) {
    if hasHeard { backoff.reset() }
    hasHeard = false
    if !isAwayTold { waiting.append(.away(error)) }
    isAwayTold = true
    waitToConnect(now)
  }

  private func waitToConnect(_ now: ContinuousClock.Instant) {
    let fraction = Double(random() >> 11) * 0x1p-53
    phase = .away(until: now + backoff.next(random: fraction))
  }

  // MARK: News

  /// The next thing to tell, of what was received; `nil` when there is nothing.
  public func next(at now: ContinuousClock.Instant) -> WatchNews? {
    while true {
      if !waiting.isEmpty { return waiting.removeFirst() }
      guard case .watching(let connection) = phase else { return nil }
      if let due = silenceDue, due <= now {
        lost(.timedOut(address), at: now)
        continue
      }
      do {
        guard try connection.nextReply(using: parser, { try take($0, now) }) != nil else { return nil }
      } catch {
        lost(.unexpectedReply(address, what: "\(error)"), at: now)
      }
    }
  }

  private func take(_ reply: Reply, _ now: ContinuousClock.Instant) throws(MalformedReport) {
    lastHeard = now
    if let error = reply.error { return takeRefusal(ServiceRefusal(error), now) }
    let told: SubscriptionReply
    do { told = try SubscriptionReply(ReplyMembers(reply.parameterObject)) } catch {
      throw MalformedReport(member: error.name)
    }
    if !hasHeard { waiting.append(.connected(after: position)) }
    hasHeard = true
    isAwayTold = false
    if case .caughtUp(let generation) = told.content {
      hasPlace = true
      query.generation = generation
    }
    if hasPlace { query.after = told.position }
    waiting.append(.reply(told))
    if !reply.continues { lost(.connectionLost(address, reason: "the subscription ended"), at: now) }
  }

  private func takeRefusal(_ refusal: ServiceRefusal, _ now: ContinuousClock.Instant) {
    switch refusal {
    case .positionTakenBack, .positionTrimmed, .noSuchPosition, .logDamaged:
      hasPlace = false
      waiting.append(.placeLost(refusal))
    default:
      waiting.append(.refused(refusal))
    }
    hasHeard = false
    waitToConnect(now)
  }
}
