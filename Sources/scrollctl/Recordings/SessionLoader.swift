import Platform
import ScrollClient
import ScrollModel

/// Loads the sessions that the command line names from files and from the daemon's log.
final class SessionLoader {
  private let invocation: Invocation
  /// The times of --since and --until.
  private let times: ClosedRange<Int64>?
  /// The sessions that patterns select, and that were left out.
  private(set) var leftOut = LeftOut()
  private var newest: NewestOnly
  /// The sessions of the log that were loaded.
  private var loaded: Set<SessionID> = []
  /// Shows how much is read.
  let progress: ReadProgress

  /// - Parameter arguments: What will be loaded, for the progress.
  /// - Throws: `UsageError` for a bad time.
  init(_ invocation: Invocation, reading arguments: some Sequence<String>) throws {
    self.invocation = invocation
    progress = ReadProgress(invocation.verbName, files: arguments.compactMap { Subject($0).file })
    newest = NewestOnly(invocation)
    let address = try invocation.command.address()
    progress.end = { try LogReading.lastPosition(at: address) }
    times = try SessionSources.times(invocation)
  }

  /// Loads the sessions that an argument names, as ``Subject`` defines.
  ///
  /// - Throws: ``Failure`` when no such session exists or it has no events.
  func load(_ argument: String) throws -> [LoadedSession] {
    let sessions = try find(argument)
    loaded.formUnion(sessions.compactMap(\.log?.session))
    return sessions
  }

  private func find(_ argument: String) throws -> [LoadedSession] {
    let session: LoadedSession
    switch Subject(argument) {
    case .file(let path): return try LoadedSession.load(file: path, progress: progress)
    case .session(let id):
      let daemon = try invocation.connect()
      // A client's name may look like a session's id.
      if let found = try Self.find(id, of: invocation.command.uid(), in: daemon, progress) {
        session = found
      } else if (try? daemon.state(of: argument, user: invocation.command.uid())) != nil {
        session = try loadNewest(of: argument)
      } else {
        throw Self.isMissing(id)
      }
    case .client(let pattern) where pattern.isClientPattern: return try loadAll(matching: pattern)
    case .client(let client): session = try loadNewest(of: client)
    }
    if session.events.isEmpty { throw Failure("the session of \(session.name) has no events") }
    if let times, let log = session.log, log.lastReceived < times.lowerBound || log.firstReceived > times.upperBound {
      throw Failure(
        "the daemon received nothing of the session of \(session.name) in the given time", hint: Hints.receivedTime)
    }
    return [session]
  }

  /// Loads the sessions of all clients that match a pattern, in one pass over the log. Those that are not whole are left out,
  /// and counted.
  private func loadAll(matching pattern: String) throws -> [LoadedSession] {
    let (found, new) = try SessionSources(invocation, [pattern], progress: progress).read { CollectedSessions() }
    leftOut.add(new)
    if let text = new.description { Program.warn("“\(pattern)”: \(text)") }
    return found.sessions
  }

  /// Loads the sessions that several arguments name. One that cannot be loaded is reported, so that it does not hide what the
  /// others show. A session that several arguments select counts once.
  ///
  /// - Returns: The sessions, with names that tell them apart, and whether every argument was loaded.
  /// - Throws: The last argument's error if none of them could be loaded.
  func load(_ arguments: some Collection<String>) throws -> (sessions: [LoadedSession], isComplete: Bool) {
    var sessions: [LoadedSession] = []
    var errors: [any Error] = []
    var files = DistinctFiles()
    var seen: Set<ExportedSession.Key> = []
    for argument in arguments {
      if case .file(let path) = Subject(argument), !files.insert(path) { continue }
      do {
        sessions += try load(argument).filter { session in
          session.log.map { seen.insert(ExportedSession.Key($0)).inserted } ?? true
        }
      } catch let error as UsageError {
        throw error
      } catch {
        errors.append(error)
      }
    }
    progress.clear()
    let last = sessions.isEmpty ? errors.popLast() : nil
    for error in errors { Program.report(error) }
    if let last { throw last }
    warnOfOthers()
    return (sessions.distinctlyNamed, errors.isEmpty && !leftOut.isLoss)
  }

  /// Reports which clients have other sessions than those that were loaded, since a client's name selects only the newest.
  func warnOfOthers() { newest.warn(taken: loaded) }

  /// Returns what to report about each client that has other sessions than those that were loaded.
  var others: [Failure] { newest.notes(taken: loaded) }

  /// Reads a session of the log.
  ///
  /// - Parameter user: The session's user; `nil` when only one user has a session with this id.
  /// - Throws: ``Failure`` when the log does not have the session, or no longer has its beginning, which folding needs.
  static func load(
    _ id: SessionID, of user: UInt32?, from daemon: ServiceConnection, progress: ReadProgress? = nil
  ) throws -> LoadedSession {
    guard let session = try find(id, of: user, in: daemon, progress) else { throw isMissing(id) }
    return session
  }

  private static func isMissing(_ id: SessionID) -> Failure {
    UnmatchedArguments.failure("\(id)", takesFiles: true)
  }

  private static func find(
    _ id: SessionID, of user: UInt32?, in daemon: ServiceConnection, _ progress: ReadProgress?
  ) throws -> LoadedSession? {
    var query = LogQuery()
    query.session = id
    query.user = user
    var session: LoadedSession?
    // Whether the session may have lost events in a damaged part.
    var isDoubtful = false
    let gaps = LogGaps()
    try gaps.passing(query) { query in
      if query.after != nil, session != nil, session?.closed == nil { isDoubtful = true }
      try add(daemon.read(query), to: &session, &isDoubtful, progress)
    }
    if isDoubtful { throw lost(id) }
    return session
  }

  private static func lost(_ id: SessionID) -> Failure {
    Failure(
      "the session \(id) may have lost events where the log is damaged",
      hint: "“scrollctl export --damaged \(id)” writes what is left of it.")
  }

  private static func add(
    _ entries: some Sequence<Result<LogEntry, ServiceError>>, to session: inout LoadedSession?,
    _ isDoubtful: inout Bool,
    _ progress: ReadProgress?
  ) throws {
    for entry in entries {
      let entry = try entry.get()
      if session == nil { session = try begin(entry) }
      progress?.countRecord(at: entry.position)
      if let first = session?.log?.user, first != entry.user {
        throw Failure(
          "the users \(first) and \(entry.user) both have a session \(entry.session)", hint: "Choose one with --uid.")
      }
      session?.log?.countRecord(received: entry.received.rawValue)
      if case .close(let time, _) = entry.record { session?.closed = time.rawValue }
      guard case .event(let event) = entry.record else { continue }
      if let number = entry.number, let before = session?.events.count, number != before + 1 {
        throw lost(entry.session)
      }
      isDoubtful = false
      session?.events.append(event)
      session?.numbers.append(entry.number ?? 0)
      session?.log?.positions.append(entry.position)
      session?.log?.received.append(entry.received.rawValue)
    }
  }

  private static func begin(_ entry: LogEntry) throws -> LoadedSession {
    guard case .open(let time, _, let title, let policy) = entry.record else {
      throw Failure(
        "the log no longer has the beginning of the session \(entry.session) of \(entry.client)",
        hint: "It now begins at position \(entry.position), and cannot be folded without the records before.")
    }
    var log = LoadedSession.LogPlace(client: entry.client, user: entry.user, session: entry.session)
    log.opening = LoadedSession.LogPlace.Opening(
      position: entry.position, time: time.rawValue, received: entry.received.rawValue)
    return LoadedSession(name: entry.client, title: title, policy: policy, log: log)
  }

  /// Reads the newest session of a client.
  ///
  /// - Throws: ``Failure``, which also mentions that no such file exists, because the argument may have meant one.
  private func loadNewest(of client: String) throws -> LoadedSession {
    let user = try invocation.command.uid()
    if (try? FileStatus(client))?.kind == .directory { throw UnmatchedArguments.failure(client, takesFiles: true) }
    do {
      let daemon = try invocation.connect()
      let state = try daemon.state(of: client, user: user)
      let session = try Self.load(state.session, of: state.user, from: daemon, progress: progress)
      newest.add(NewestOnly.Place(client: client, user: state.user, session: state.session))
      return session
    } catch let error as ServiceError {
      let daemon = try invocation.connect()
      if let named = try daemon.session(named: client, user: user) {
        return try Self.load(named.session, of: named.user, from: daemon, progress: progress)
      }
      let text = error.refusal?.text(about: client) ?? error.description
      throw Failure("“\(client)” is not a file, and \(text)", hint: Hints.hint(for: error))
    }
  }
}
