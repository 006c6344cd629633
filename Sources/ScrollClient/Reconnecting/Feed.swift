internal import JSON
internal import ScrollJSON
import ScrollModel
internal import Varlink

/// A session's events on their way to the daemon, across connections: a state machine without I/O and without a clock.
/// ``Feeder`` runs it over sockets.
///
///     if let due = feed.connectDue, due <= now {
///       let buffer = ConnectionBuffer()
///       feed.beginConnection(buffer)             // or loseConnection(_:at:), when you could not connect
///     }
///     … send the buffer's output, pass it what the socket receives …
///     feed.handleReplies(at: now)
///
/// Events keep their numbers until the daemon answers. After a lost connection the feed opens the session again by its id, the
/// daemon returns the number that comes next, and the feed sends the missing events: nothing is lost, and nothing is stored
/// twice. The feed chooses the session's id itself, so that even the answer to the first opening may get lost.
public final class Feed {
  /// The session of a feed and how to send it.
  public struct Options: Sendable {
    /// The client's name.
    public var client: String
    /// The application's name and version, as text for people.
    public var application: String?
    /// The title of what the client shows, as text for people.
    public var title: String?
    /// Whether the session ends when its connection does. The feed then opens another session after each lost connection.
    public var closeOnDisconnect = false
    /// The most events that may wait for the daemon.
    public var capacity = 8192
    /// The waits between attempts to connect.
    public var backoff = Backoff()

    /// Creates the options of a client.
    public init(client: String) { self.client = client }
  }

  private enum Phase {
    case away(until: ContinuousClock.Instant)
    case opening(ClientConnection)
    case open(ClientConnection)
    case closing(ClientConnection)
    case ended
  }

  /// The most events in a call.
  static let eventsPerCall = 256
  /// The most calls without an answer.
  static let maximumUnansweredCalls = 8

  /// The session; another one after ``FeedUpdate/sessionEnded(_:maybeStored:)``.
  public private(set) var session: SessionID
  private let options: Options
  private let random: () -> UInt64
  private let onUpdate: (FeedUpdate) -> Void
  private let parser = JSONParser()
  private var phase: Phase
  private var backoff: Backoff
  private var hasReportedAway = false
  private var isClosing = false
  /// Whether the feed has sent `Close` at least once.
  private var hasSentClose = false

  /// The events without an answer.
  private var queue: [Event] = []
  /// The number of the queue's first event.
  private var firstNumber: Int64 = 1
  /// How many events of the queue the feed has sent over this connection.
  private var sentCount = 0
  /// How many events of the queue the feed has sent over any connection.
  private var everSentCount = 0
  /// The first number of each call that has no answer.
  private var calls: [Int64] = []

  /// Creates a feed that is about to connect.
  ///
  /// - Parameters:
  ///   - options: The session and how to send it.
  ///   - now: The current time.
  ///   - random: Returns random bits, for the session's id and the waits.
  ///   - onUpdate: Called with each update. It must not call the feed.
  public init(
    _ options: Options, at now: ContinuousClock.Instant, random: @escaping () -> UInt64 = { .random(in: 0 ... .max) },
    onUpdate: @escaping (FeedUpdate) -> Void = { _ in }
  ) {
    self.options = options
    self.random = random
    self.onUpdate = onUpdate
    session = SessionID(high: random(), low: random())
    phase = .away(until: now)
    backoff = options.backoff
  }

  // MARK: Events

  /// The client's name.
  var client: String { options.client }

  /// The number of events without an answer.
  public var unansweredCount: Int { queue.count }

  /// The number of events that fit into the queue.
  public var room: Int { max(0, options.capacity - queue.count) }

  /// Whether the session is closed, as ``close()`` asked for.
  public var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  /// Accepts events, all or none.
  ///
  /// - Throws: ``FeederError``.
  public func append(_ events: [Event]) throws(FeederError) {
    try check(events)
    if events.count > room { throw .full(capacity: options.capacity) }
    queue += events
    sendEvents()
  }

  /// Checks that the feed would accept events if the queue had room.
  ///
  /// - Throws: ``FeederError``.
  func check(_ events: [Event]) throws(FeederError) {
    if isClosing { throw .closed }
    if events.count > options.capacity { throw .full(capacity: options.capacity) }
    for (index, event) in events.enumerated() {
      do { try event.validate() } catch { throw .invalid(index: index, error) }
    }
  }

  /// Closes the session once the daemon has answered all events.
  public func close() {
    isClosing = true
    sendEvents()
  }

  // MARK: Connections

  /// When to connect; `nil` while connected and after the end.
  public var connectDue: ContinuousClock.Instant? {
    if case .away(let due) = phase { due } else { nil }
  }

  /// Opens the session over a new connection.
  public func beginConnection(_ buffer: ConnectionBuffer) { beginConnection(buffer.connection) }

  func beginConnection(_ connection: ClientConnection) {
    phase = .opening(connection)
    sentCount = 0
    calls = []
    sendOpen(connection)
  }

  /// Gives up the connection, or a failed attempt to connect.
  public func loseConnection(_ error: ServiceError, at now: ContinuousClock.Instant) {
    switch phase {
    case .ended: return
    case .open, .closing: backoff.reset()
    case .away, .opening: break
    }
    if !hasReportedAway { onUpdate(.away(error)) }
    hasReportedAway = true
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

  /// Sends as many events as the limit of unanswered calls allows, then `Close` when it is due.
  private func sendEvents() {
    guard case .open(let connection) = phase else { return }
    while sentCount < queue.count, calls.count < Self.maximumUnansweredCalls {
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

  /// Handles the replies that the connection has received.
  ///
  /// - Parameter address: The daemon's address, for errors.
  /// - Returns: Whether the feed still uses the connection; if not, close it.
  @discardableResult
  public func handleReplies(at now: ContinuousClock.Instant, address: ServiceAddress = .system) -> Bool {
    while let connection {
      do {
        guard try connection.nextReply(using: parser, { try handle($0, now) }) != nil else { return true }
      } catch {
        loseConnection(ServiceError(receiving: error, from: address), at: now)
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

  private func handle(_ reply: Reply, _ now: ContinuousClock.Instant) throws(MalformedReport) {
    if let error = reply.error { return handle(ServiceRefusal(error), now) }
    let members = ReplyMembers(reply.parameterObject)
    do throws(ReplyMembers.Unexpected) {
      switch phase {
      case .opening(let connection): try handle(OpenedSession(members), connection)
      case .open: try handle(AppendedEvents(members))
      case .closing: phase = .ended
      case .away, .ended: break
      }
    } catch {
      throw .member(error.name)
    }
  }

  private func handle(_ opened: OpenedSession, _ connection: ClientConnection) {
    phase = .open(connection)
    hasReportedAway = false
    if opened.nextNumber < firstNumber { onUpdate(.takenBack(count: firstNumber - opened.nextNumber)) }
    drop(before: opened.nextNumber)
    onUpdate(.opened(opened))
    sendEvents()
  }

  private func handle(_ appended: AppendedEvents) {
    if !calls.isEmpty { calls.removeFirst() }
    backoff.reset()
    drop(before: appended.nextNumber)
    onUpdate(.appended(appended))
    sendEvents()
  }

  /// Releases the events that the daemon has: all before a number.
  private func drop(before number: Int64) {
    let count = Int(min(max(0, number - firstNumber), Int64(queue.count)))
    queue.removeFirst(count)
    sentCount = max(0, sentCount - count)
    everSentCount = max(0, everSentCount - count)
    firstNumber = number
  }

  private func handle(_ refusal: ServiceRefusal, _ now: ContinuousClock.Instant) {
    switch (refusal, phase) {
    case (.sessionClosed, .closing), (.noSuchSession, .closing):
      phase = .ended
      return
    case (.sessionClosed, .opening) where hasSentClose && queue.isEmpty:
      // The daemon closed it, and only the answer got lost.
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
      onUpdate(.eventRefused(queue.remove(at: place), refusal))
    default: onUpdate(.refused(refusal))
    }
    // The daemon refuses the calls that follow as well. Over a new connection it returns the number to continue from.
    waitToConnect(now)
  }

  private func beginAnotherSession() {
    onUpdate(.sessionEnded(session, maybeStored: everSentCount))
    session = SessionID(high: random(), low: random())
    firstNumber = 1
    everSentCount = 0
  }
}
