import JSON
import ScrollModel
import Varlink

/// Everything that the native host does, without I/O and without a clock: between a browser's native messaging and the daemon.
///
///     var bridge = Bridge(address: "/run/scrolld/socket", now: now)
///     for channel in bridge.channelsToConnect(at: now) {
///       bridge.connect(channel, connection, at: now)       // or lose(channel, "…", at: now)
///     }
///     bridge.receive(bytesFromTheBrowser, at: now)
///     … send the connections' output, pass them what the sockets receive …
///     bridge.handleReplies(of: channel, at: now)
///     … write the output for the browser …
///
/// The page numbers its events and keeps them until the daemon has confirmed them; after the page has been closed, the extension
/// does. The bridge keeps what is on its way, within a bound, and refuses the rest, which the browser sends again.
public struct Bridge: ~Copyable {
  /// How the bridge is doing.
  public enum Phase: Equatable, Sendable {
    case running
    /// The browser has closed the connection, and the rest is on its way to the daemon, until a time.
    case draining(until: ContinuousClock.Instant)
    /// The browser broke the rules; the message says how.
    case failed(String)
  }

  /// How long the last events may take after the browser has closed the connection. The browser kills the host after 2 s.
  static let drainTime = Duration.milliseconds(1500)
  /// The wait until a refused session or a lost stream is tried again.
  static let retryTime = Duration.seconds(5)
  /// The longest wait until the daemon is tried again.
  static let maximumBackoff = Duration.seconds(2)
  /// The most connections for scroll requests, well below what the daemon allows a user.
  static let maximumRequestChannels = 256
  /// The output for the browser above which the host reads nothing more, in bytes.
  static let outputLimit = 256 * 1024

  /// Whether the host runs, and how it ends.
  public private(set) var phase = Phase.running

  private let address: String
  private var reader = FrameReader()
  private let parser = JSONParser()
  private var output = ByteBuffer()
  private var sessions: SessionTable
  private var channels = ChannelTable()
  private var feed = FeedCalls()
  private var pushes = PushSubscription()
  private var forgetting = Forgetting()
  /// The sessions that the daemon refused for now, and when to try them again.
  private var retries: [SessionID: ContinuousClock.Instant] = [:]
  private var backoff = Duration.milliseconds(100)
  /// The events that were given up.
  private var dropped = 0
  /// Why the daemon is away, as far as the browser knows.
  private var reportedError: String?

  /// Creates a bridge that is about to connect.
  ///
  /// - Parameters:
  ///   - address: The daemon's address, for messages.
  ///   - maximumQueuedBytes: The most bytes of events that wait for the daemon: 128 KiB are some 2,000 events, more than the
  ///     daemon stores in the time that the browser takes to send as many.
  public init(address: String, maximumQueuedBytes: Int = 128 * 1024, at now: ContinuousClock.Instant) {
    self.address = address
    sessions = SessionTable(maximumQueuedBytes: maximumQueuedBytes)
    channels.want(.feed, from: now)
  }

  // MARK: The browser

  /// Handles bytes from the browser.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: ContinuousClock.Instant) {
    guard phase == .running else { return }
    reader.receive(bytes)
    while phase == .running {
      do throws(FrameError) {
        guard let result = try reader.nextMessage(using: parser, { Self.operations(in: $0) }) else { return }
        for operation in result { perform(operation, at: now) }
      } catch {
        // A page may have made a text that is none, and other pages should not have to pay for it.
        if error.isInText { send(.invalid(nil, error: error.description)) } else { phase = .failed(error.description) }
      }
    }
  }

  /// Handles the end of the browser's bytes.
  public mutating func receiveEnd(at now: ContinuousClock.Instant) {
    guard phase == .running else { return }
    do throws(FrameError) {
      try reader.checkEnd()
      phase = .draining(until: now + Self.drainTime)
    } catch {
      phase = .failed(error.description)
    }
  }

  /// Calls `body` with the bytes for the browser.
  public func withUnsafeOutput<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try output.withUnsafeReadableBytes(body)
  }

  /// Marks the first `count` bytes for the browser as written.
  public mutating func consumeOutput(_ count: Int) { output.consume(count) }

  /// The number of bytes for the browser.
  public var outputCount: Int { output.count }

  /// Whether the browser reads too slowly for more to be read for it.
  public var isOutputFull: Bool { output.count > Self.outputLimit }

  private mutating func send(_ message: HostMessage) { output.appendFrame { message.write(to: &$0) } }

  private static func operations(in message: JSONValue) -> [Result<Operation, OperationError>] {
    guard let array = message["operations"]?.asArray else {
      return [.failure(OperationError(session: nil, text: "a message must have an array operations"))]
    }
    return array.map { element in Result { () throws(OperationError) in try Operation(element) } }
  }

  private mutating func perform(_ result: Result<Operation, OperationError>, at now: ContinuousClock.Instant) {
    switch result {
    case .failure(let error): send(.invalid(error.session, error: error.text))
    case .success(.open(let opening)): open(opening, at: now)
    case .success(.append(let id, let batch)): append(batch, to: id, at: now)
    case .success(.close(let id, let time)):
      if let refused = sessions[id]?.refused {
        // The browser sends them again, and then the closing.
        send(.full(id, number: refused.lowerBound))
      } else {
        sessions.update(id) { $0.close(time: time) }
        sendClose(id)
      }
    case .success(.respond(let id, let request, let done, let reason)):
      guard let connection = channels[.feed], sessions[id] != nil else { return }
      feed.respond(id, request: request, done: done, reason: reason, over: connection)
    case .success(.forget(let ids)):
      // What waits for the daemon must not arrive after it has forgotten the session.
      for id in ids where sessions[id] != nil { end(id, reason: "forgotten", at: now) }
      forgetting.add(ids)
      continueForgetting(at: now)
    }
  }

  private mutating func open(_ opening: SessionOpening, at now: ContinuousClock.Instant) {
    if sessions.add(opening) {
      subscribe(at: now)
      begin(opening.session)
    } else if let session = sessions[opening.session], session.phase == .open {
      send(.opened(opening.session, nextNumber: session.confirmed ?? 1))
    }
  }

  private mutating func append(_ batch: EventBatch, to id: SessionID, at now: ContinuousClock.Instant) {
    guard let session = sessions[id] else {
      return send(.ended(id, reason: "unknown", dropped: 0))
    }
    let hasRoom = sessions.hasRoom(for: batch)
    switch sessions.update(id, { $0.accept(batch, hasRoom: hasRoom) }) {
    case .refused: send(.full(id, number: batch.number))
    case .queued:
      guard let connection = channels[.feed], session.phase != .detached else { return }
      feed.append(batch, to: id, attempt: session.attempt, over: connection)
    case .duplicate:
      if let confirmed = session.confirmed, confirmed >= batch.end { send(.stored(id, nextNumber: confirmed)) }
    case .gap: end(id, reason: "gap", at: now)
    case nil: break
    }
  }

  // MARK: Sessions

  /// Sends all that the daemon has to know of a session, in order. Whatever it has already, it skips.
  private mutating func begin(_ id: SessionID) {
    guard let connection = channels[.feed], sessions[id]?.phase == .detached, retries[id] == nil else { return }
    sessions.update(id) { $0.beginAttempt() }
    guard let session = sessions[id] else { return }
    feed.open(session.opening, attempt: session.attempt, over: connection)
    for batch in session.queue { feed.append(batch, to: id, attempt: session.attempt, over: connection) }
    sendClose(id)
  }

  private mutating func sendClose(_ id: SessionID) {
    guard let connection = channels[.feed], let session = sessions[id], session.phase != .detached,
      let close = session.close
    else { return }
    feed.close(id, time: close.time, attempt: session.attempt, over: connection)
  }

  /// Gives up a session.
  private mutating func end(_ id: SessionID, reason: String, at now: ContinuousClock.Instant) {
    guard let session = sessions.remove(id) else { return }
    retries[id] = nil
    channels.drop(.requests(id))
    // After its closing no page has the events any more.
    if session.close != nil { dropped += session.queuedEvents }
    send(.ended(id, reason: reason, dropped: session.close == nil ? 0 : session.queuedEvents))
  }

  // MARK: Connections

  /// The channels that need a connection now.
  public func channelsToConnect(at now: ContinuousClock.Instant) -> [Channel] { channels.due(at: now) }

  /// Whether the bridge uses a channel; if not, close its connection.
  public func uses(_ channel: Channel) -> Bool { channels.contains(channel) }

  /// Begins to use a new connection.
  public mutating func connect(_ channel: Channel, _ connection: ClientConnection, at now: ContinuousClock.Instant) {
    channels.connect(channel, connection)
    switch channel {
    case .feed:
      feed = FeedCalls()
      reportedError = nil
      send(.daemon(connected: true, address: address, dropped: dropped, error: nil))
      for id in sessions.ids { begin(id) }
      subscribe(at: now)
      continueForgetting(at: now)
    case .pushes: pushes.begin(sessions.prefixes, over: connection)
    case .requests(let id):
      connection.call("org.scrolld.Recorder.Requests", .more) { $0.member("session", id.description) }
    case .management: forgetting.begin(over: connection)
    }
  }

  /// Gives up a connection, or a failed attempt to connect.
  ///
  /// - Parameter error: What happened, for people.
  public mutating func lose(_ channel: Channel, _ error: String, at now: ContinuousClock.Instant) {
    guard channels.contains(channel) else { return }
    channels.drop(channel)
    switch channel {
    case .feed:
      if error != reportedError { send(.daemon(connected: false, address: address, dropped: dropped, error: error)) }
      reportedError = error
      sessions.detachAll()
      retries = [:]
      for other in channels.all { channels.drop(other) }
      forgetting.suspend()
      channels.want(.feed, from: now + backoff)
      backoff = min(backoff * 2, Self.maximumBackoff)
    case .pushes: channels.want(.pushes, from: now + Self.retryTime)
    case .requests(let id):
      if sessions[id]?.phase == .open { channels.want(channel, from: now + Self.retryTime) }
    case .management:
      forgetting.suspend()
      channels.want(.management, from: now + Self.retryTime)
    }
  }

  private mutating func subscribe(at now: ContinuousClock.Instant) {
    guard channels[.feed] != nil, !sessions.ids.isEmpty else { return }
    if channels[.pushes] != nil, pushes.needsChange(for: sessions.prefixes) { channels.drop(.pushes) }
    channels.want(.pushes, from: now)
  }

  private mutating func continueForgetting(at now: ContinuousClock.Instant) {
    guard channels[.feed] != nil, forgetting.isPending else { return }
    if let connection = channels[.management] { forgetting.begin(over: connection) }
    channels.want(.management, from: now)
  }

  // MARK: Replies

  /// Handles the replies that a channel's connection has received.
  public mutating func handleReplies(of channel: Channel, at now: ContinuousClock.Instant) {
    do {
      while let connection = channels[channel] {
        guard let outcome = try connection.nextReply(using: parser, { try read($0, of: channel) }) else { return }
        handle(outcome, of: channel, at: now)
      }
    } catch {
      lose(channel, "the daemon at \(address) sent a reply that breaks the rules: \(error)", at: now)
    }
  }

  /// A reply, copied out of the connection's buffer.
  private enum Outcome {
    case members(nextNumber: Int64?, records: Int64?)
    /// A message for the browser that is complete already.
    case message([UInt8])
    case nothing
    case error(VarlinkError)
  }

  private func read(_ reply: Reply, of channel: Channel) throws -> Outcome {
    if let error = reply.error { return .error(error) }
    switch channel {
    case .feed, .management:
      var members = try reply.parameters()
      return .members(
        nextNumber: try members.optionalInt("nextNumber"), records: try members.optionalInt("records"))
    case .pushes:
      return pushes.message(of: reply.parameterObject) { sessions[$0] != nil }.map(Outcome.message) ?? .nothing
    case .requests(let id):
      guard let request = reply.parameterObject?["request"], !request.isNull else { return .nothing }
      return .message(
        JSONWriter.encode { writer in
          writer.beginObject()
          writer.member("type", "request")
          writer.member("session", id.description)
          writer.member("request", request)
          writer.endObject()
        })
    }
  }

  private mutating func handle(_ outcome: Outcome, of channel: Channel, at now: ContinuousClock.Instant) {
    switch (channel, outcome) {
    case (_, .message(let text)): output.appendFrame(text: text)
    case (.feed, .members(let nextNumber, _)):
      backoff = .milliseconds(100)
      if let call = feed.next() { handle(call, nextNumber: nextNumber ?? 1, at: now) }
    case (.feed, .error(let error)):
      if let call = feed.next() { handle(call, error, at: now) }
    case (.management, .members(_, let records)):
      forgetting.confirm(records: records ?? 0)
      reportForgotten(nil, at: now)
    case (.management, .error(let error)):
      forgetting.giveUp()
      reportForgotten(Refusal.text(error), at: now)
    case (.pushes, .error), (.requests, .error): lose(channel, "refused", at: now)
    case (_, .nothing), (.pushes, .members), (.requests, .members): break
    }
  }

  private mutating func reportForgotten(_ error: String?, at now: ContinuousClock.Instant) {
    guard error != nil || !forgetting.isPending else { return continueForgetting(at: now) }
    let result = forgetting.takeResult()
    send(.forgotten(sessions: result.sessions, records: result.records, error: error))
    channels.drop(.management)
  }

  private mutating func handle(_ call: FeedCall, nextNumber: Int64, at now: ContinuousClock.Instant) {
    let id = call.session
    guard let session = sessions[id], call.attempt == session.attempt else { return }
    switch call {
    case .open:
      sessions.update(id) { $0.confirmOpening(nextNumber: nextNumber) }
      send(.opened(id, nextNumber: nextNumber))
      let count = channels.all.count { if case .requests = $0 { true } else { false } }
      if count < Self.maximumRequestChannels { channels.want(.requests(id), from: now) }
    case .append:
      sessions.update(id) { $0.confirm(before: nextNumber) }
      send(.stored(id, nextNumber: nextNumber))
    case .close: end(id, reason: "asked", at: now)
    case .respond: break
    }
  }

  private mutating func handle(_ call: FeedCall, _ error: VarlinkError, at now: ContinuousClock.Instant) {
    let id = call.session
    // Somebody else may have answered a request, and the page has scrolled all the same.
    guard let session = sessions[id], call.attempt == session.attempt else { return }
    switch (Refusal(error), call) {
    case (.ended(let reason), _): end(id, reason: reason, at: now)
    case (.postponed(let text), _):
      sessions.update(id) { $0.detach() }
      channels.drop(.requests(id))
      retries[id] = now + Self.retryTime
      send(.refused(id, error: text))
    }
  }

  // MARK: Time

  /// When to call ``advance(to:)``, or to connect a channel; `nil` when only bytes can change anything.
  public var deadline: ContinuousClock.Instant? {
    var deadlines = Array(retries.values)
    if let due = channels.nextDue { deadlines.append(due) }
    if case .draining(let end) = phase { deadlines.append(end) }
    return deadlines.min()
  }

  /// Tries again what is due.
  public mutating func advance(to now: ContinuousClock.Instant) {
    for (id, due) in retries where due <= now {
      retries[id] = nil
      begin(id)
    }
  }

  /// Whether a host whose browser is gone has nothing more to do.
  public func isFinished(at now: ContinuousClock.Instant) -> Bool {
    switch phase {
    case .running: false
    case .draining(let end): now >= end || (sessions.isSettled && !forgetting.isPending)
    case .failed: true
    }
  }

  /// The events that the daemon has not confirmed, those included that were refused and not sent again.
  public var undeliveredCount: Int { sessions.queuedEvents + sessions.refusedEvents }
}
