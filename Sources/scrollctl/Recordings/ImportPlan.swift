import ScrollClient
import ScrollJSON
import ScrollLog
import ScrollModel

/// The import of a file's sessions. The whole file is checked before anything of it is stored.
struct ImportPlan {
  /// The outcome of importing a session.
  enum Outcome {
    /// The session was stored.
    case stored(SentSession)
    /// The log already had the session, closed, with the same number of events.
    case known(client: String, SessionID)
    /// The session cannot be imported; later ones may be.
    case leftOut(Failure)
  }

  /// The file's path. The file is read twice.
  private let path: String
  /// The file's name in messages.
  private let name: String
  /// Whether sessions get new ids from the daemon.
  private let givesNewIDs: Bool
  /// The id and the number of events of each session in the file.
  private var sessions: [(id: SessionID, events: Int64)] = []

  /// Checks a file.
  ///
  /// - Throws: ``Failure`` that names the first bad line.
  init(_ path: String, name: String, givesNewIDs: Bool) throws {
    self.path = path
    self.name = name
    self.givesNewIDs = givesNewIDs
    let source = try RecordingSource(path, name: name)
    var isOpen = false
    var digest: SessionID?
    while let line = try source.next() {
      if case .open(_, _, _, _, _, let session) = line {
        settle(digest)
        isOpen = true
        // A session without an id gets one from its content, so that a repeated import recognizes it.
        digest = session == nil ? source.lineDigest : nil
        sessions.append((session ?? source.lineDigest, 0))
        continue
      }
      guard isOpen else {
        throw source.failure(
          RecordingError(
            line: source.line, reason: "no open line before this one: an import needs one"))
      }
      digest = digest.map { ContentDigest.of($0, then: source.lineDigest) }
      if case .event = line { sessions[sessions.count - 1].events += 1 }
    }
    settle(digest)
    if sessions.isEmpty { throw Failure("\(name) has no recording") }
  }

  private mutating func settle(_ digest: SessionID?) {
    if let digest { sessions[sessions.count - 1].id = digest }
  }

  /// Sends the sessions one after the other. One that cannot be imported is left out.
  ///
  /// - Parameter report: Called with each session's outcome.
  /// - Throws: ``Failure`` with the error and how to continue.
  func send(to daemon: ServiceConnection, _ report: (Outcome) throws -> Void) throws {
    let source = try RecordingSource(path, name: name)
    var rest = sessions[...]
    var sender: SessionSender?
    var lastTime: Int64 = 0
    while let line = try source.next() {
      do {
        switch line {
        case .open(let time, let client, let application, let title, let policy, _):
          try end(&sender, at: lastTime, nil, daemon, report)
          guard let session = rest.popFirst() else { throw Failure("\(name) changed while scrollctl was reading it") }
          do throws(ServiceError) {
            let opened = try daemon.importSession(
              client: client, time: UnixMicroseconds(time), application: application, title: title,
              session: givesNewIDs ? nil : session.id, policy: policy)
            sender = SessionSender(opened, client: client, to: daemon)
          } catch {
            try report(outcome(of: session, client, error, line: source.line, daemon))
          }
          lastTime = time
        case .event(let event):
          try sender?.add(event, line: source.line)
          lastTime = event.time
        case .close(let time, let reason):
          try end(&sender, at: time, reason, daemon, report)
        case .request, .response: break
        }
      } catch let error as ServiceError {
        throw failure(error, source, sender)
      }
    }
    do {
      try end(&sender, at: lastTime, nil, daemon, report)
    } catch let error as ServiceError {
      throw failure(error, source, sender)
    }
  }

  /// Returns the outcome for a session that the daemon refused to import.
  ///
  /// - Throws: The error, when it concerns more than this session.
  private func outcome(
    of session: (id: SessionID, events: Int64), _ client: String, _ error: ServiceError, line: Int,
    _ daemon: ServiceConnection
  ) throws -> Outcome {
    switch error.refusal {
    case .sessionClosed: return try closed(session, client, daemon)
    case .clientOpen:
      return .leftOut(
        Failure("\(name):\(line): \(client): \(error)", hint: "Import again when that session is closed."))
    default: throw error
    }
  }

  /// Compares a session that the log already has, closed, with the file's.
  private func closed(
    _ session: (id: SessionID, events: Int64), _ client: String, _ daemon: ServiceConnection
  ) throws -> Outcome {
    var query = LogQuery()
    query.session = session.id
    var (stored, isThere): (Int64, Bool) = (0, false)
    for entry in try daemon.read(query) {
      isThere = true
      if try entry.get().number != nil { stored += 1 }
    }
    guard isThere else {
      return .leftOut(
        Failure(
          "\(name): \(client): the daemon has forgotten or removed the session \(session.id): it has no record left that you "
            + "may see, and its id is never used again"))
    }
    if stored == session.events { return .known(client: client, session.id) }
    return .leftOut(
      Failure(
        "\(name): \(client): the daemon has already closed the session \(session.id); events in its log: \(stored), "
          + "in the file: \(session.events)",
        hint: "To import it as a new session with a new id, use --again."))
  }

  /// Closes the open session, if any.
  private func end(
    _ sender: inout SessionSender?, at time: Int64, _ reason: Closing.Reason?, _ daemon: ServiceConnection,
    _ report: (Outcome) throws -> Void
  ) throws {
    guard let open = sender else { return }
    let sent = try open.drain()
    try daemon.endImport(sent.session, time: UnixMicroseconds(time), reason: reason)
    sender = nil
    try report(.stored(sent))
  }

  private func failure(_ error: ServiceError, _ source: RecordingSource, _ sender: SessionSender?) -> Failure {
    guard let sender else { return Failure("\(name):\(source.line): \(error)", hint: Hints.hint(for: error)) }
    return Failure(
      "\(name): \(error)",
      hint: givesNewIDs
        ? "At least \(sender.storedEvents) events are stored as session \(sender.session)."
        : "To continue, repeat the command.")
  }
}
