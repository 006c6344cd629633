// Sends one session's events.

import ScrollClient
import ScrollModel

/// Sends one session's events in numbered calls, several of which may be under way.
final class SessionSender {
  /// How many events a call holds.
  static let batchSize = 256
  /// How many calls may await their answers.
  static let maximumUnanswered = 4

  let client: String
  let session: SessionID

  private let daemon: ServiceConnection
  /// How many events the session had when it was opened.
  private let storedBefore: Int64
  /// The number of the event that was added last; those that were stored before count.
  private var added: Int64 = 0
  private var batch: [Event] = []
  private var batchLines: [Int] = []
  /// The lines of the events of each call that awaits its answer, in the calls' order.
  private var unanswered: [[Int]] = []
  /// What the last answer said.
  private var answer: AppendedEvents?
  private var start: (time: Int64, moment: ContinuousClock.Instant)?

  /// Opens the session.
  ///
  /// - Parameter isRepeated: The events begin with those that an open session has already, which are passed over; else they
  ///   all are new.
  init(
    client: String, application: String? = nil, title: String? = nil, session: SessionID?, isRepeated: Bool,
    to daemon: ServiceConnection
  ) throws(ServiceError) {
    self.client = client
    self.daemon = daemon
    let opened = try daemon.open(client: client, application: application, title: title, session: session)
    self.session = opened.session
    storedBefore = opened.nextNumber - 1
    if !isRepeated { added = storedBefore }
  }

  /// Goes on with a session that is open, passing over the events that it has already.
  init(_ opened: OpenedSession, client: String, to daemon: ServiceConnection) {
    self.client = client
    self.daemon = daemon
    session = opened.session
    storedBefore = opened.nextNumber - 1
  }

  /// How many events are known to be stored.
  var storedEvents: Int64 { answer.map { $0.nextNumber - 1 } ?? storedBefore }

  /// Adds an event; one that the session has already is passed over.
  func add(_ event: Event, line: Int) throws(ServiceError) {
    added += 1
    if added <= storedBefore { return }
    batch.append(event)
    batchLines.append(line)
    if batch.count == Self.batchSize { try flush() }
  }

  /// Sends what has been added.
  func flush() throws(ServiceError) {
    if batch.isEmpty { return }
    while unanswered.count >= Self.maximumUnanswered { try takeAnswer() }
    try daemon.sendAppend(batch, to: session, number: added - Int64(batch.count) + 1)
    unanswered.append(batchLines)
    batch.removeAll(keepingCapacity: true)
    batchLines.removeAll(keepingCapacity: true)
  }

  /// Sends what has been added and waits for all answers. The session stays open.
  func drain() throws(ServiceError) -> SentSession {
    try flush()
    while !unanswered.isEmpty { try takeAnswer() }
    return sent
  }

  /// Sends what has been added, waits for all answers, and closes the session.
  func finish() throws(ServiceError) -> SentSession {
    try flush()
    return try close()
  }

  /// Drops what has not been sent, waits for all answers, and closes the session.
  func abandon() throws(ServiceError) -> SentSession {
    batch = []
    return try close()
  }

  /// The line of an event that was refused, by its index in the call whose answer came last.
  func line(ofEvent index: Int) -> Int? {
    guard let lines = unanswered.first, lines.indices.contains(index) else { return nil }
    return lines[index]
  }

  /// When an event is due that is replayed at so many times its speed.
  func due(_ event: Event, speed: Double) -> ContinuousClock.Instant {
    let start = start ?? (event.time, .now)
    self.start = start
    return start.moment + .microseconds(Double(event.time - start.time) / speed)
  }

  private func close() throws(ServiceError) -> SentSession {
    while !unanswered.isEmpty { try takeAnswer() }
    try daemon.close(session)
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
