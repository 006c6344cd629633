// Which sessions of the log are to be exported.

import ScrollClient
import ScrollModel
import ScrollService

/// Which sessions of the log are to be exported, in the order in which they begin: found by reading it once.
struct SessionIndex {
  /// The sessions of these ids, or of clients whose names match, when either is given.
  private var ids: Set<SessionID> = []
  private var globs: [String] = []
  /// Only those with a record that the daemon got in these times.
  var since = Int64.min
  var until = Int64.max
  /// Only this user's.
  var user: UInt32?

  /// An index of what arguments mean: 32 hexadecimal digits are a session, all else are patterns over clients' names.
  init(_ arguments: [String]) {
    for argument in arguments {
      if let id = SessionID(argument) { ids.insert(id) } else { globs.append(argument) }
    }
  }

  /// Reads the log.
  func sessions(of daemon: ServiceConnection) throws(ServiceError) -> [ExportedSession] {
    let isOneSession = globs.isEmpty && ids.count == 1
    let found = try sessions(of: daemon, only: isOneSession ? ids.first : nil)
    // A client may be called as a session could be.
    return found.isEmpty && isOneSession ? try sessions(of: daemon, only: nil) : found
  }

  private func sessions(
    of daemon: ServiceConnection, only session: SessionID?
  ) throws(ServiceError) -> [ExportedSession] {
    var query = LogQuery()
    query.user = user
    query.session = session
    let entries = try daemon.read(query)
    var found: [SessionID: ExportedSession] = [:]
    while case .reply(let entry) = try entries.next() {
      guard let entry, isWanted(entry) else { continue }
      found[entry.session, default: ExportedSession(entry)].add(entry)
    }
    return found.values.filter { $0.received.overlaps(min(since, until)...until) }
      .sorted { $0.firstPosition < $1.firstPosition }
  }

  private func isWanted(_ entry: LogEntry) -> Bool {
    if ids.isEmpty, globs.isEmpty { return true }
    return ids.contains(entry.session) || !globs.isEmpty && Glob(globs).matches(entry.client)
      || SessionID(entry.client).map(ids.contains) == true
  }
}
