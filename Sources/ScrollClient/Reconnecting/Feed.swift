// A session's events on their way to the daemon, over as many connections as it takes.

import JSON
import ScrollJSON
import ScrollModel
import Varlink

/// A session's events on their way to the daemon, over as many connections as it takes: a state machine that does no
/// I/O and knows no time but what it is told. ``Feeder`` is the shell around it.
///
///     switch feed.connectDue { … }             // when to connect
///     feed.connected(connection, at: now)      // or lost(_:at:)
///     … send the connection's output, receive into it …
///     feed.received(at: now)
///
/// Events keep their numbers until they are answered. After a loss the session is opened again by its id, the daemon
/// says which number comes next, and what it lacks is sent again: nothing is lost, and nothing is stored twice. The
/// id is the feed's own choice, so that even an answer to the first opening may get lost.
public final class Feed {
  /// What is fed, and how.
  public struct Options: Sendable {
    /// The client's name.
    public var client: String
    /// The application's name and version, for people.
    public var application: String?
    /// What is shown, for people.
    public var title: String?
    /// Whether the session ends when its connection does. Then each loss of the connection begins another one.
    public var closeOnDisconnect = false
    /// How many events may wait for the daemon.
    public var capacity = 8192
    /// How long to wait between attempts to connect.
    public var backoff = Backoff()

    /// Options for a client.
    public init(client: String) { self.client = client }
  }

  private enum Phase {
    case away(until: ContinuousClock.Instant)
    case opening(ClientConnection)
    case open(ClientConnection)
    case closing(ClientConnection)
    case ended
  }

  /// How many events a call brings at most.
  static let eventsPerCall = 256
  /// How many calls are under way at most.
  static let callsUnderWay = 8

  /// The session; another one after ``FeedNews/sessionEnded(_:maybeStored:)``.
  public private(set) var session: SessionID
  private let options: Options
  private let random: () -> UInt64
  private let tell: (FeedNews) -> Void
  private let parser = JSONParser()
  private var phase: Phase
  private var backoff: Backoff
  private var isAwayTold = false
  private var isClosing = false
  /// `Close` was sent at least once.
  private var hasSentClose = false

  /// The events that were not answered.
  private var queue: [Event] = []
  /// The number of the first of them.
  private var firstNumber: Int64 = 1
  /// How many of them were sent over this connection.
  private var sentCount = 0
  /// How many of them were sent at all.
  private var everSentCount = 0
  /// The first number of each call that has no answer.
  private var calls: [Int64] = []

  /// A feed that is about to connect.
  ///
  /// - Parameters:
  ///   - options: What is fed, and how.
  ///   - now: The time.
  ///   - random: Random bits, for the session's id and the waits.
  ///   - tell: Is told what happens. It must not call the feed.
  public init(
    _ options: Options, at now: ContinuousClock.Instant, random: @escaping () -> UInt64 = { .random(in: 0 ... .max) },
    tell: @escaping (FeedNews) -> Void = { _ in }
  ) {
    self.options = options
    self.random = random
    self.tell = tell
    session = SessionID(high: random(), low: random())
    phase = .away(until: now)
    backoff = options.backoff
  }

  // MARK: Events

  /// How many events have no answer.
  public var unansweredCount: Int { queue.count }

  /// How many more events are taken.
  public var room: Int { max(0, options.capacity - queue.count) }

  /// Whether the session is closed, as was asked.
  public var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// Takes events, all or none.
  ///
  /// - Throws: ``FeederError``.
  public func append(_ events: [Event]) throws(FeederError) {
    try check(events)
    if events.count > room { throw .full(capacity: options.capacity) }
    queue += events
    sendEvents()
  }

  /// Checks whether events could be taken if there were room.
  ///
  /// - Throws: ``FeederError``.
  func check(_ events: [Event]) throws(FeederError) {
    if isClosing { throw .closed }
    if events.count > options.capacity { throw .full(capacity: options.capacity) }
    for (index, event) in events.enumerated() {
      do { try event.validate() } catch { throw .invalid(index: index, error) }
    }
  }

  /// Closes the session once all events are answered.
  public func close() {
    isClosing = true
    sendEvents()
  }

  // MARK: Connections

  /// When to connect; `nil` while connected, and after the end.
  public var connectDue: ContinuousClock.Instant? {
    if case .away(let due) = phase { due } else { nil }
  }

  /// A connection stands.
  public func connected(_ connection: ClientConnection, at now: ContinuousClock.Instant) {
    phase = .opening(connection)
    sentCount = 0
    calls = []
    sendOpen(connection)
  }

  /// There is no connection, or none any more.
  public func lost(_ error: ServiceError, at now: ContinuousClock.Instant) {
    switch phase {
    case .ended: return
    case .open, .closing: backoff.reset()
    case .away, .opening: break
    }
    if !isAwayTold { tell(.away(error)) }
    isAwayTold = true
    waitToConnect(now)
  }

  private func waitToConnect(_ now: ContinuousClock.Instant) {
    let fraction = Double(random() >> 11) * 0x1p-53
    phase = .away(until: now + backoff.next(random: fraction))
  }

  private func sendOpen(_ connection: ClientConnection) {
    connection.call("org.scrolld.Recorder.Open") { writer in
      writer.member("client", options.client)
      writer.member("application", ifPresent: options.application)
      writer.member("title", ifPresent: options.title)
      writer.member("session", session)
      if options.closeOnDisconnect { writer.member("closeOnDisconnect", true) }
    }
  }

  /// Sends what may be sent.
  private func sendEvents() {
    guard case .open(let connection) = phase else { return }
    while sentCount < queue.count, calls.count < Self.callsUnderWay {
      let events = queue[sentCount...].prefix(Self.eventsPerCall)
      let number = firstNumber + Int64(sentCount)
      connection.call("org.scrolld.Recorder.Append") { writer in
        writer.member("session", session)
        writer.member("number", number)
        writer.key("events")
        writer.beginArray()
        for event in events { event.write(to: &writer) }
        writer.endArray()
      }
      calls.append(number)
      sentCount += events.count
      everSentCount = max(everSentCount, sentCount)
    }
    guard isClosing, queue.isEmpty else { return }
    connection.call("org.scrolld.Recorder.Close") { $0.member("session", session) }
    hasSentClose = true
    phase = .closing(connection)
  }

  // MARK: Replies

  /// Takes the replies that were received.
  ///
  /// - Returns: Whether the connection is still of use; if not, it is to be closed.
  @discardableResult
  public func received(at now: ContinuousClock.Instant, address: ServiceAddress = .system) -> Bool {
    while let connection {
      do {
        guard try connection.nextReply(using: parser, { try take($0, now) }) != nil else { return true }
      } catch {
        lost(.unexpectedReply(address, what: "\(error)"), at: now)
      }
    }
    return false
  }

  private var connection: ClientConnection? {
    switch phase {
    case .opening(let connection), .open(let connection), .closing(let connection): connection
    case .away, .ended: nil
    }
  }

  private func take(_ reply: Reply, _ now: ContinuousClock.Instant) throws(MalformedReport) {
    if let error = reply.error { return takeRefusal(ServiceRefusal(error), now) }
    let members = ReplyMembers(reply.parameterObject)
    do throws(ReplyMembers.Unexpected) {
      switch phase {
      case .opening(let connection): try takeOpened(OpenedSession(members), connection)
      case .open: try takeAppended(AppendedEvents(members))
      case .closing: phase = .ended
      case .away, .ended: break
      }
    } catch {
      throw MalformedReport(member: error.name)
    }
  }

  private func takeOpened(_ opened: OpenedSession, _ connection: ClientConnection) {
    phase = .open(connection)
    isAwayTold = false
    if opened.nextNumber < firstNumber { tell(.takenBack(count: firstNumber - opened.nextNumber)) }
    drop(before: opened.nextNumber)
    tell(.opened(opened))
    sendEvents()
  }

  private func takeAppended(_ appended: AppendedEvents) {
    if !calls.isEmpty { calls.removeFirst() }
    backoff.reset()
    drop(before: appended.nextNumber)
    tell(.appended(appended))
    sendEvents()
  }

  /// Lets go of the events that the daemon has, all before a number.
  private func drop(before number: Int64) {
    let count = Int(min(max(0, number - firstNumber), Int64(queue.count)))
    queue.removeFirst(count)
    sentCount = max(0, sentCount - count)
    everSentCount = max(0, everSentCount - count)
    firstNumber = number
  }

  private func takeRefusal(_ refusal: ServiceRefusal, _ now: ContinuousClock.Instant) {
    switch (refusal, phase) {
    case (.sessionClosed, .closing), (.noSuchSession, .closing):
      phase = .ended
      return
    case (.sessionClosed, .opening) where hasSentClose && queue.isEmpty:
      // It was closed, and only the answer got lost.
      phase = .ended
      return
    case (.sessionClosed, .opening(let connection)):
      beginAnotherSession()
      sendOpen(connection)
      return
    case (.sessionClosed, _), (.noSuchSession, _): beginAnotherSession()
    case (.numberGap, _): break
    case (.invalidEvent(let index, _, _), .open):
      let place = Int((calls.first ?? firstNumber) - firstNumber) + index
      guard queue.indices.contains(place) else { break }
      everSentCount = max(0, everSentCount - 1)
      tell(.eventRefused(queue.remove(at: place), refusal))
    default: tell(.refused(refusal))
    }
    // The calls behind it are refused as well: on a new connection the daemon says where to go on.
    waitToConnect(now)
  }

  private func beginAnotherSession() {
    tell(.sessionEnded(session, maybeStored: everSentCount))
    session = SessionID(high: random(), low: random())
    firstNumber = 1
    everSentCount = 0
  }
}
