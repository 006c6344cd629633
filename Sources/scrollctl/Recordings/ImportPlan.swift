import Platform
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
    /// The log already had the session, closed, with the same number of events, under this client's name.
    case known(client: String, SessionID)
    /// The session cannot be imported; later ones may be.
    case leftOut(Failure)
  }

  /// The file's path. The file is read twice.
  private let path: String
  /// The file's name in messages.
  private let name: String
  /// What precedes the clients' names.
  private let prefix: String
  /// Whether sessions get new ids from the daemon.
  private let givesNewIDs: Bool
  /// Whether sessions belong to the users that the file names.
  private let keepsUsers: Bool
  /// The id, the number of events and the first line of each session in the file.
  private var sessions: [(id: SessionID, events: Int64, line: Int)] = []

  /// Checks a file.
  ///
  /// - Parameter progress: Called with the number of bytes of each piece that was read.
  /// - Throws: ``Failure`` that names the first bad line.
  init(
    _ path: String, name: String, prefix: String = "", givesNewIDs: Bool, keepsUsers: Bool = false,
    progress: ((Int) -> Void)? = nil
  ) throws {
    self.path = path
    self.name = name
    self.prefix = prefix
    self.givesNewIDs = givesNewIDs
    self.keepsUsers = keepsUsers
    let source = try RecordingSource(path, name: name, progress: progress)
    var isOpen = false
    var digest: SessionID?
    while let line = try source.next() {
      if case .open(_, let client, _, _, _, let session, _) = line {
        do throws(EventProblem) {
          try ClientName.validate(prefix + client)
        } catch {
          throw source.failure(RecordingError(line: source.line, field: error.field, reason: error.reason))
        }
        settle(digest)
        isOpen = true
        // A session without an id gets one from its content, so that a repeated import recognizes it.
        digest = session == nil ? source.lineDigest : nil
        sessions.append((session ?? source.lineDigest, 0, source.line))
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

  /// The number of events in the file.
  var events: Int64 { sessions.reduce(0) { $0 + $1.events } }

  private mutating func settle(_ digest: SessionID?) {
    if let digest { sessions[sessions.count - 1].id = digest }
  }

  /// Sends the sessions. One that cannot be imported is left out.
  ///
  /// - Parameters:
  ///   - log: The sessions that the log has; `nil` if the daemon does not list them.
  ///   - progress: Called with the number of events that were read, or skipped with their session.
  ///   - report: Called with each session's outcome.
  /// - Throws: ``Failure`` with the error and how to continue.
  func send(
    to daemon: ServiceConnection, knowing log: KnownSessions? = nil, progress: (Int64) -> Void = { _ in },
    _ report: @escaping (Outcome) throws -> Void
  ) throws {
    let source = try RecordingSource(path, name: name)
    let pipe = ImportPipe(daemon) { session in
      guard let refusal = session.refusal else {
        // A file may have a session twice, and so may several files.
        log?.add(
          session.id, of: session.user ?? CurrentProcess.effectiveUser, client: session.client, events: session.events)
        return try report(.stored(session.sent))
      }
      // The reading that decides needs an idle connection.
      try report(
        outcome(
          of: (session.id, session.events), session.client, session.user, refusal, line: session.line,
          ServiceConnection(daemon.address)))
    }
    var rest = sessions[...]
    var current = Sending.nothing
    var lastTime: Int64 = 0
    var done: Int64 = 0
    do {
      while let line = try source.next() {
        switch line {
        case .open(let time, let name, let application, let title, let policy, _, let recorded):
          let client = prefix + name
          try end(current, pipe, at: lastTime, nil, daemon, report)
          current = .nothing
          guard let session = rest.popFirst() else {
            throw Failure("\(self.name) changed while scrollctl was reading it")
          }
          let user = keepsUsers ? recorded : nil
          lastTime = time
          let owner = user ?? CurrentProcess.effectiveUser
          if !givesNewIDs, let log, let known = log[session.id, of: owner], known.isComplete {
            let outcome = Self.outcome(
              of: (session.id, session.events), known.client, stored: known.events, file: self.name)
            try report(outcome)
            try source.skip(to: rest.first?.line ?? .max)
            done += session.events
            progress(done)
          } else if !givesNewIDs, let log, log[session.id, of: owner] == nil {
            let piped = ImportPipe.Session(session.id, client: client, user: user, line: source.line)
            current = .piped(piped)
            try pipe.open(piped, time: time, application: application, title: title, policy: policy)
          } else {
            try pipe.drain()
            do throws(ServiceError) {
              let opened = try daemon.importSession(
                client: client, time: UnixMicroseconds(time), application: application, title: title,
                session: givesNewIDs ? nil : session.id, policy: policy, user: user)
              current = .direct(SessionSender(opened, client: client, to: daemon))
            } catch {
              try report(
                outcome(of: (session.id, session.events), client, user, error, line: source.line, daemon))
            }
          }
        case .event(let event):
          switch current {
          case .nothing: break
          case .direct(let sender): try sender.add(event, line: source.line)
          case .piped(let session): try pipe.add(event, to: session)
          }
          lastTime = event.time
          done += 1
          progress(done)
        case .close(let time, let reason):
          try end(current, pipe, at: time, reason, daemon, report)
          current = .nothing
        case .request, .response: break
        }
      }
      try end(current, pipe, at: lastTime, nil, daemon, report)
      try pipe.drain()
    } catch let error as ServiceError {
      throw failure(error, source, current)
    }
  }

  /// How the session that is being read is sent.
  private enum Sending {
    /// Not at all, since the log has it, or the daemon has refused it.
    case nothing
    /// Waiting for the answers, since the log may have a part of it.
    case direct(SessionSender)
    case piped(ImportPipe.Session)
  }

  /// Returns the outcome for a session that the daemon refused to import.
  ///
  /// - Throws: The error, when it concerns more than this session.
  private func outcome(
    of session: (id: SessionID, events: Int64), _ client: String, _ user: UInt32?, _ error: ServiceError, line: Int,
    _ daemon: ServiceConnection
  ) throws -> Outcome {
    switch error.refusal {
    case .sessionClosed: return try closed(session, client, user, daemon)
    case .clientOpen:
      return .leftOut(
        Failure("\(name):\(line): \(client): \(error)", hint: "Import again when that session is closed."))
    default: throw error
    }
  }

  /// Compares a session that the log already has, closed, with the file's.
  private func closed(
    _ session: (id: SessionID, events: Int64), _ client: String, _ user: UInt32?, _ daemon: ServiceConnection
  ) throws -> Outcome {
    var query = LogQuery()
    query.session = session.id
    query.user = user ?? CurrentProcess.effectiveUser
    var (stored, isThere, client): (Int64, Bool, String) = (0, false, client)
    do throws(ServiceError) {
      for entry in try daemon.read(query) {
        let entry = try entry.get()
        if !isThere { client = entry.client }
        isThere = true
        if entry.number != nil { stored += 1 }
      }
    } catch {
      guard case .refused(.logDamaged) = error else { throw error }
      return .leftOut(
        Failure(
          "\(name): \(client): the log has the session \(session.id), and cannot be compared with the file: \(error)"))
    }
    guard isThere else {
      return .leftOut(
        Failure(
          "\(name): \(client): the daemon has forgotten or removed the session \(session.id): it has no record left that you "
            + "may see, and its id is never used again",
          hint: "To import it as a new session with a new id, use --again."))
    }
    return Self.outcome(of: session, client, stored: stored, file: name)
  }

  /// Returns the outcome for a session that is closed in the log.
  private static func outcome(
    of session: (id: SessionID, events: Int64), _ client: String, stored: Int64, file: String
  ) -> Outcome {
    if stored == session.events { return .known(client: client, session.id) }
    return .leftOut(
      Failure(
        "\(file): \(client): the daemon has already closed the session \(session.id); events in its log: \(stored), "
          + "in the file: \(session.events)",
        hint: "To import it as a new session with a new id, use --again."))
  }

  /// Closes the session that is being sent, if any.
  private func end(
    _ current: Sending, _ pipe: ImportPipe, at time: Int64, _ reason: Closing.Reason?, _ daemon: ServiceConnection,
    _ report: (Outcome) throws -> Void
  ) throws {
    switch current {
    case .nothing: break
    case .piped(let session): try pipe.close(session, at: time, reason: reason)
    case .direct(let sender):
      if sender.hasForeignEvents { return try report(.leftOut(longer(sender))) }
      let sent = try sender.drain()
      try daemon.endImport(sent.session, time: UnixMicroseconds(time), reason: reason)
      try report(.stored(sent))
    }
  }

  /// Returns the failure of a session of which the daemon has more events than the file, from another import.
  private func longer(_ session: SessionSender) -> Failure {
    Failure(
      "\(name): \(session.client): the daemon has the session \(session.session) open with \(session.storedEvents) events, "
        + "more than the file has",
      hint: "Import the longer recording to complete it, or this one as a new session with --again.")
  }

  private func failure(_ error: ServiceError, _ source: RecordingSource, _ current: Sending) -> Failure {
    if case .refused(.permissionDenied) = error {
      return Failure(
        "\(name): you may not import into this log: \(error)",
        hint:
          "An import keeps the recording's own times, so it needs a manager of the daemon: root, or a user in Managers=\n"
          + "of scrolld.conf. “scrollctl record” plays a recording as a client of yours.")
    }
    if case .piped = current { return Failure("\(name): \(error)", hint: "To continue, repeat the command.") }
    guard case .direct(let sender) = current else {
      return Failure("\(name):\(source.line): \(error)", hint: Hints.hint(for: error))
    }
    return Failure(
      "\(name): \(error)",
      hint: givesNewIDs
        ? "At least \(sender.storedEvents) events are stored as session \(sender.session)."
        : "To continue, repeat the command.")
  }
}
