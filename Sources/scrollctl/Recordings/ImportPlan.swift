// How recordings come into the daemon's log as they were.

import ScrollClient
import ScrollJSON
import ScrollLog
import ScrollModel

/// How recordings come into the daemon's log as they were: a file is looked at as a whole before anything of it is stored.
struct ImportPlan {
  /// What became of a session.
  enum Outcome {
    /// It is in the log now.
    case stored(SentSession)
    /// It was in the log already, closed, with as many events.
    case known(client: String, SessionID)
    /// It can't come in, which says nothing of those behind it.
    case leftOut(Failure)
  }

  /// The file, to be read twice.
  private let path: String
  /// The file's name in messages.
  private let name: String
  /// Whether sessions get new ids from the daemon.
  private let givesNewIDs: Bool
  /// For each session of the file its id, and how many events it has.
  private var sessions: [(id: SessionID, events: Int64)] = []

  /// Looks at a file.
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
        // Without an id it is named for what is in it, so that it is recognised when it comes again.
        digest = session == nil ? source.lineDigest : nil
        sessions.append((session ?? source.lineDigest, 0))
        continue
      }
      guard isOpen else {
        throw source.failure(
          RecordingError(
            line: source.line, reason: "no open line stands before this one: an import needs it"))
      }
      digest = digest.map { ContentDigest.of($0, then: source.lineDigest) }
      if case .event = line { sessions[sessions.count - 1].events += 1 }
    }
    settle(digest)
    if sessions.isEmpty { throw Failure("\(name) holds no recording") }
  }

  private mutating func settle(_ digest: SessionID?) {
    if let digest { sessions[sessions.count - 1].id = digest }
  }

  /// Sends the sessions one after the other. One that can't come in is left out, and the others come in.
  ///
  /// - Parameter report: Is called with each one that is done.
  /// - Throws: ``Failure`` that says what is wrong and how to go on.
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
          guard let session = rest.popFirst() else { throw Failure("\(name) changes while it is read") }
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

  /// What becomes of a session that the daemon doesn't take.
  ///
  /// - Throws: The error, when it is not about this session alone.
  private func outcome(
    of session: (id: SessionID, events: Int64), _ client: String, _ error: ServiceError, line: Int,
    _ daemon: ServiceConnection
  ) throws -> Outcome {
    switch error.refusal {
    case .sessionClosed: return try closed(session, client, daemon)
    case .clientOpen:
      return .leftOut(
        Failure("\(name):\(line): \(client): \(error)", hint: "It would be cut off: import when it is closed."))
    default: throw error
    }
  }

  /// Looks whether a session that is closed already is the same.
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
          "\(name): \(client): the session \(session.id) has been forgotten or removed at the daemon: nothing of it is left "
            + "that you may see, and its id is never used again"))
    }
    if stored == session.events { return .known(client: client, session.id) }
    return .leftOut(
      Failure(
        "\(name): \(client): the daemon has closed the session \(session.id) already: its log holds \(stored) of its "
          + "events, the file \(session.events)",
        hint: "With --again it comes in as a new session, with an id of its own."))
  }

  /// Ends the session that is open, if one is.
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
        : "The same command goes on where it stopped.")
  }
}
