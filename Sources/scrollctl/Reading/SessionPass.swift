import ScrollClient
import ScrollJSON
import ScrollModel

/// One pass over files and the log, which hands each session's events to a sink.
struct SessionPass<Sink: SessionSink> {
  /// A session that is handed over.
  private final class Taken {
    let key: Int64
    let session: Sink.Session
    /// The number of its events so far.
    var events: Int64 = 0

    init(_ key: Int64, _ session: Sink.Session) {
      self.key = key
      self.session = session
    }
  }

  /// A session of the log that has been seen.
  private enum Seen {
    case taken(Taken)
    case ignored
  }

  /// A session's next event is not the one that was expected.
  private struct LostEvents: Error {}

  let sink: Sink
  private static var eventsBetweenChecks: Int64 { 4096 }

  private let progress: ReadProgress
  /// Called now and then; it may throw to stop.
  private let check: () throws -> Void
  private var events: Int64 = 0
  /// The files of which sessions were handed over, or at least begun.
  private var begun: Set<String> = []
  /// The arguments that have selected no session of the log yet.
  private let unmatched: UnmatchedArguments
  /// The sessions that were handed over completely.
  private(set) var sessions = 0
  private(set) var leftOut = LeftOut()

  private var lastKey: Int64 = 0
  private var seen: [ExportedSession.Key: Seen] = [:]
  /// The session of the last event. Most of the next ones are the same session's.
  private var last: (key: ExportedSession.Key, session: Taken)?

  init(
    sink: Sink, progress: ReadProgress, unmatched: UnmatchedArguments, check: @escaping () throws -> Void
  ) {
    self.sink = sink
    self.progress = progress
    self.check = check
    self.unmatched = unmatched
  }

  // MARK: Files

  /// Whether a file had a session.
  func hasBegun(_ file: String) -> Bool { begun.contains(file) }

  /// Reads all sessions of a file.
  ///
  /// - Parameter file: The name of its sessions.
  /// - Throws: ``Failure`` that names the first bad line, or when the file has no session.
  mutating func read(file path: String, as file: String) throws {
    let source = try RecordingSource(path, progress: progress.count(bytes:))
    var open: Taken?
    var hasSessions = false
    while let line = try source.next() {
      switch line {
      case .open(let time, let client, let application, let title, _, let id, _):
        hasSessions = true
        begun.insert(path)
        if let open { try end(open, SessionEnd()) }
        open = try begin {
          SessionHead(
            key: $0, name: file, path: path, line: source.line, client: client, id: id, application: application,
            title: title, policy: .safari, opened: time)
        }
      case .event(let event):
        let session =
          try open ?? begin { SessionHead(key: $0, name: file, path: path, line: source.line, policy: .safari) }
        open = session
        if !hasSessions { begun.insert(path) }
        hasSessions = true
        try add(event, EventPlace(number: Int64(source.line)), to: session)
      case .close(let time, let reason):
        if let open { try end(open, SessionEnd(closed: time, reason: reason)) }
        open = nil
      case .request, .response: break
      }
    }
    if let open { try end(open, SessionEnd()) }
    // A session without events is left out, in a file as in the log.
    if !hasSessions { throw Failure("\(source.name) has no events") }
  }

  // MARK: The log

  /// Reads the selected sessions of the log.
  ///
  /// - Returns: Whether the log could be read to its end, and no session has lost events; if not, the pass is useless.
  mutating func readLog(from daemon: ServiceConnection, _ selection: LogSelection) throws -> Bool {
    if selection.isEmpty { return true }
    var query = LogQuery()
    query.user = selection.user
    query.session = selection.only
    var gaps = selection.gaps[...]
    while true {
      do {
        try daemon.readLines(query, decodes: true) { line in
          switch line {
          case .event(let event): try take(event, selection)
          case .entry(let entry): try take(entry, selection)
          }
        }
        break
      } catch is LostEvents {
        return false
      } catch let error as ServiceError {
        guard case .refused(.logDamaged) = error else { throw error }
        // A selection that knows the damage reads on behind it.
        guard selection.isComplete, let gap = gaps.popFirst() else {
          if selection.isComplete { throw error }
          return false
        }
        guard let next = gap.next else { break }
        query.after = next - 1
      }
    }
    // In the order in which they began, which a dictionary doesn't keep.
    let open = seen.values.compactMap { if case .taken(let session) = $0 { session } else { nil } }
    for session in open.sorted(by: { $0.key < $1.key }) { try end(session, SessionEnd()) }
    return true
  }

  /// Takes an event in its plain form.
  ///
  /// - Throws: ``LostEvents``, besides the sink's errors.
  private mutating func take(_ plain: PlainEvent, _ selection: LogSelection) throws {
    guard let key = ExportedSession.Key(plain), let event = plain.event else {
      throw Failure("the daemon sent a session without an id")
    }
    let session: Taken
    if let last, last.key == key {
      session = last.session
    } else {
      switch seen[key] {
      case .taken(let taken): session = taken
      case .ignored: return
      case nil: return ignoreTrimmed(key, of: String(decoding: plain.client, as: UTF8.self), selection)
      }
      last = (key, session)
    }
    if plain.number != session.events + 1 { throw LostEvents() }
    try add(event, EventPlace(number: plain.number, position: plain.position, received: plain.received), to: session)
  }

  /// Takes a record.
  ///
  /// - Throws: ``LostEvents``, besides the sink's errors.
  private mutating func take(_ entry: LogEntry, _ selection: LogSelection) throws {
    switch seen[ExportedSession.Key(entry)] {
    case .taken(let session):
      if let number = entry.number, number != session.events + 1 { throw LostEvents() }
      try take(entry, session)
    case .ignored: break
    case nil: try meet(entry, selection)
    }
  }

  private mutating func take(_ entry: LogEntry, _ session: Taken) throws {
    switch entry.record {
    case .event(let event):
      let place = EventPlace(number: entry.number ?? 0, position: entry.position, received: entry.received.rawValue)
      try add(event, place, to: session)
    case .close(let time, let reason):
      try end(session, SessionEnd(closed: time.rawValue, reason: reason))
      seen[ExportedSession.Key(entry)] = nil
      last = nil
    case .open, .request, .response: break
    }
  }

  /// Decides about a session from its first record.
  private mutating func meet(_ entry: LogEntry, _ selection: LogSelection) throws {
    let id = ExportedSession.Key(entry)
    guard case .open(let time, let application, let title, let policy) = entry.record else {
      return ignoreTrimmed(id, of: entry.client, selection)
    }
    guard selection.wants(entry.session, of: entry.client) else {
      seen[id] = .ignored
      return
    }
    unmatched.match(entry.session, of: entry.client)
    guard let policy else {
      throw Failure("the daemon did not send the policy of the session \(entry.session)")
    }
    let session = try begin {
      SessionHead(
        key: $0, name: entry.client, client: entry.client, user: entry.user, id: entry.session,
        application: application,
        title: title, policy: policy, opened: time.rawValue)
    }
    seen[id] = .taken(session)
  }

  /// Ignores a session whose beginning the log no longer has.
  private mutating func ignoreTrimmed(_ id: ExportedSession.Key, of client: String, _ selection: LogSelection) {
    seen[id] = .ignored
    guard selection.wants(id.id, of: client) else { return }
    unmatched.match(id.id, of: client)
    leftOut.trimmed += 1
  }

  // MARK: The sink

  private mutating func begin(_ head: (Int64) -> SessionHead) throws -> Taken {
    lastKey += 1
    return Taken(lastKey, try sink.begin(head(lastKey)))
  }

  private mutating func add(_ event: Event, _ place: EventPlace, to session: Taken) throws {
    session.events += 1
    events += 1
    if events % Self.eventsBetweenChecks == 0 { try check() }
    if let position = place.position { progress.countRecord(at: position) }
    try sink.add(event, at: place, to: session.session)
  }

  private mutating func end(_ session: Taken, _ end: SessionEnd) throws {
    if session.events > 0 {
      sessions += 1
      try sink.end(session.session, end)
    } else {
      leftOut.empty += 1
    }
  }
}
