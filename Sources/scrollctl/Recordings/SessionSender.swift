import JSON
import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Sends a session's events in numbered, pipelined calls.
final class SessionSender {
  /// The number of events in a full call.
  static let batchSize = 256
  /// The most calls without an answer.
  static let maximumUnanswered = 4

  let client: String
  let session: SessionID

  private let daemon: ServiceConnection
  /// The number of events that the session had when it was opened.
  private let storedBefore: Int64
  /// The number of the last added event.
  private var added: Int64 = 0
  private var batch: [Event] = []
  private var batchLines: [Int] = []
  /// For each call without an answer, in order, the lines of its events.
  private var unanswered: [[Int]] = []
  /// The last answer.
  private var answer: AppendedEvents?
  private var start: ContinuousClock.Instant?
  private var clock = SessionClock()
  /// The time of the last event, or before it that of the opening.
  private var lastTime: Int64?

  /// Opens the session.
  ///
  /// - Parameter isRepeated: Whether the input starts from the session's first event again, so that events that the session
  ///   already has are skipped. Otherwise all events are new.
  init(
    client: String, application: String? = nil, title: String? = nil, time: Int64? = nil, session: SessionID?,
    isRepeated: Bool, to daemon: ServiceConnection
  ) throws(ServiceError) {
    self.client = client
    self.daemon = daemon
    let opened = try daemon.open(
      client: client, application: application, title: title, session: session, time: time.map { UnixMicroseconds($0) })
    self.session = opened.session
    storedBefore = opened.nextNumber - 1
    // A session without events ends when it was opened, and not when it was sent.
    lastTime = storedBefore == 0 ? time : nil
    if !isRepeated { added = storedBefore }
  }

  /// Resumes an open session, and skips the events that it already has.
  init(_ opened: OpenedSession, client: String, to daemon: ServiceConnection) {
    self.client = client
    self.daemon = daemon
    session = opened.session
    storedBefore = opened.nextNumber - 1
  }

  /// Whether the daemon has more events of the session than were added.
  var hasForeignEvents: Bool { added < storedBefore }

  /// The number of events that are known to be stored.
  var storedEvents: Int64 { answer.map { $0.nextNumber - 1 } ?? storedBefore }

  /// Adds an event, or skips it if the session already has it.
  func add(_ event: Event, line: Int) throws(ServiceError) {
    added += 1
    lastTime = event.time
    if added <= storedBefore { return }
    batch.append(event)
    batchLines.append(line)
    if batch.count == Self.batchSize { try flush() }
  }

  /// Sends the added events.
  func flush() throws(ServiceError) {
    if batch.isEmpty { return }
    while unanswered.count >= Self.maximumUnanswered { try takeAnswer() }
    try daemon.sendAppend(batch, to: session, number: added - Int64(batch.count) + 1)
    unanswered.append(batchLines)
    batch.removeAll(keepingCapacity: true)
    batchLines.removeAll(keepingCapacity: true)
  }

  /// Sends the added events and waits for all answers. The session stays open.
  func drain() throws(ServiceError) -> SentSession {
    try flush()
    while !unanswered.isEmpty { try takeAnswer() }
    return sent
  }

  /// Sends the added events, waits for all answers, and closes the session.
  ///
  /// - Parameter time: The time of the close line; without one the last event's, or the opening's if there is none.
  func finish(at time: Int64? = nil) throws(ServiceError) -> SentSession {
    try flush()
    return try close(at: time ?? lastTime)
  }

  /// Discards the events that were not sent, waits for all answers, and closes the session.
  func abandon() throws(ServiceError) -> SentSession {
    batch = []
    return try close(at: lastTime)
  }

  /// Returns the line of a refused event from its index in the earliest call without an answer.
  func line(ofEvent index: Int) -> Int? {
    guard let lines = unanswered.first, lines.indices.contains(index) else { return nil }
    return lines[index]
  }

  /// Returns when to send an event at a multiple of its recorded speed.
  func due(_ event: Event, speed: Double) -> ContinuousClock.Instant {
    let start = start ?? .now
    self.start = start
    return start + .microseconds(Double(clock.advance(to: event.time)) / speed)
  }

  private func close(at time: Int64?) throws(ServiceError) -> SentSession {
    while !unanswered.isEmpty { try takeAnswer() }
    try daemon.close(session, time: time.map { UnixMicroseconds($0) })
    return sent
  }

  private var sent: SentSession {
    let position = answer.flatMap { $0.position > 0 ? $0.position : nil }
    return SentSession(client: client, session: session, events: storedEvents, position: position)
  }

  private func takeAnswer() throws(ServiceError) {
    answer = try daemon.receiveAppended()
    unanswered.removeFirst()
  }
}

/// A session that was sent to the daemon.
struct SentSession: Equatable, JSONWritable {
  var client: String
  var session: SessionID
  /// The number of events that the daemon has of it.
  var events: Int64
  /// The last event's position; `nil` without events.
  var position: Position?

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("client", client)
    writer.member("session", session.description)
    writer.member("events", events)
    writer.member("position", ifPresent: position)
    writer.endObject()
  }
}
