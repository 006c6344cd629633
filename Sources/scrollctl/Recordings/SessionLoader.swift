// Loads sessions from where the command line says.

import ScrollClient
import ScrollModel

/// Loads sessions from where the command line says: from files, and from the daemon's log.
struct SessionLoader {
  private let invocation: Invocation

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// Loads what an argument means, as ``Subject`` has it.
  ///
  /// - Throws: ``Failure`` when there is no such session or no event in it.
  func load(_ argument: String) throws -> [LoadedSession] {
    let session: LoadedSession
    switch Subject(argument) {
    case .file(let path): return try LoadedSession.load(file: path)
    case .session(let id):
      let daemon = try invocation.connect()
      // A client may be called as a session could be.
      if let found = try Self.find(id, in: daemon) {
        session = found
      } else if (try? daemon.state(of: argument, user: invocation.command.uid())) != nil {
        session = try loadNewest(of: argument)
      } else {
        throw Self.isMissing(id)
      }
    case .client(let client): session = try loadNewest(of: client)
    }
    if session.events.isEmpty { throw Failure("the session of \(session.name) holds no events") }
    return [session]
  }

  /// Reads a session of the log.
  ///
  /// - Throws: ``Failure`` when there is none, or the log no longer has its beginning, without which nothing can be folded.
  static func load(_ id: SessionID, from daemon: ServiceConnection) throws -> LoadedSession {
    guard let session = try find(id, in: daemon) else { throw isMissing(id) }
    return session
  }

  private static func isMissing(_ id: SessionID) -> Failure { Failure("the log has no session \(id) that you may see") }

  private static func find(_ id: SessionID, in daemon: ServiceConnection) throws -> LoadedSession? {
    var query = LogQuery()
    query.session = id
    var session: LoadedSession?
    for entry in try daemon.read(query) {
      let entry = try entry.get()
      if session == nil { session = try begin(entry) }
      guard case .event(let event) = entry.record else { continue }
      session?.events.append(event)
      session?.numbers.append(entry.number ?? 0)
      session?.log?.positions.append(entry.position)
      session?.log?.received.append(entry.received.rawValue)
    }
    return session
  }

  private static func begin(_ entry: LogEntry) throws -> LoadedSession {
    guard case .open(_, _, let title, let policy) = entry.record else {
      throw Failure(
        "the log no longer holds the beginning of the session \(entry.session) of \(entry.client)",
        hint: "What is left of it begins at position \(entry.position); without what came before it can't be folded.")
    }
    let log = LoadedSession.LogPlace(client: entry.client, user: entry.user, session: entry.session)
    return LoadedSession(name: entry.client, title: title, policy: policy, log: log)
  }

  /// Reads the newest session of a client.
  ///
  /// - Throws: ``Failure`` that also says that there is no such file, for that may have been meant.
  private func loadNewest(of client: String) throws -> LoadedSession {
    let user = try invocation.command.uid()
    do {
      let daemon = try invocation.connect()
      return try Self.load(daemon.state(of: client, user: user).session, from: daemon)
    } catch let error as ServiceError {
      let text = error.refusal?.text(about: client) ?? error.description
      throw Failure("“\(client)” is no file, and \(text)", hint: Hints.hint(for: error))
    }
  }
}
