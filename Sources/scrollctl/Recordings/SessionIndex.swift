import ScrollClient
import ScrollModel
import ScrollService

/// The sessions of the log to be exported, in the order in which they begin. Finding them takes one pass over the log.
struct SessionIndex {
  /// Only the sessions with these ids or of clients whose names match. Both empty means all sessions.
  private(set) var ids: Set<SessionID> = []
  let globs: Glob
  /// Only sessions with a record that the daemon received between these times.
  var since = Int64.min
  var until = Int64.max
  /// Only this user's sessions.
  var user: UInt32?

  /// Creates an index from arguments: 32 hexadecimal digits are a session's id, everything else is a pattern over client names.
  init(_ arguments: [String]) {
    globs = Glob(arguments.filter { SessionID($0) == nil })
    ids = Set(arguments.compactMap { SessionID($0) })
  }

  /// Reads the log, and skips what cannot be read.
  ///
  /// - Returns: The sessions in their order, and the damaged parts of the log.
  func sessions(of daemon: ServiceConnection) throws(ServiceError) -> (found: [ExportedSession], gaps: [LogGap]) {
    let isOneSession = globs.patterns.isEmpty && ids.count == 1
    let progress = ReadProgress("find sessions")
    progress.end = { try LogReading.lastPosition(at: daemon.address) }
    defer { progress.clear() }
    let found = try sessions(of: daemon, only: isOneSession ? ids.first : nil, progress)
    // A client's name may look like a session's id.
    return found.found.isEmpty && isOneSession ? try sessions(of: daemon, only: nil, progress) : found
  }

  private func sessions(
    of daemon: ServiceConnection, only session: SessionID?, _ progress: ReadProgress
  ) throws(ServiceError) -> (found: [ExportedSession], gaps: [LogGap]) {
    var query = LogQuery()
    query.user = user
    query.session = session
    var found: [ExportedSession.Key: ExportedSession] = [:]
    var gaps: [LogGap] = []
    while let gap = try read(query, of: daemon, isBehindGap: !gaps.isEmpty, &found, progress) {
      gaps.append(gap)
      // Any open session may have records there. The numbers of its later events show whether it has.
      for id in found.keys { found[id]?.passGap() }
      guard let next = gap.next else { break }
      query.after = next - 1
    }
    for id in found.keys { found[id]?.finish() }
    let sessions = found.values.filter { $0.received.overlaps(min(since, until)...until) }
      .sorted { $0.firstPosition < $1.firstPosition }
    return (sessions, gaps)
  }

  /// Reads records up to the end of the log or the next damaged part.
  ///
  /// - Returns: The damaged part; `nil` at the end.
  private func read(
    _ query: LogQuery, of daemon: ServiceConnection, isBehindGap: Bool,
    _ found: inout [ExportedSession.Key: ExportedSession], _ progress: ReadProgress
  ) throws(ServiceError) -> LogGap? {
    let start = query.after ?? 0
    var last = start
    do throws(ServiceError) {
      for entry in try daemon.read(query) {
        let entry = try entry.get()
        last = entry.position
        progress.countRecord(at: last)
        if isWanted(entry) {
          found[ExportedSession.Key(entry), default: ExportedSession(entry, isBehindGap: isBehindGap)]
            .add(entry)
        }
      }
      return nil
    } catch {
      return try LogGap(error, after: last, from: start)
    }
  }

  func isWanted(_ entry: LogEntry) -> Bool { isWanted(entry.session, of: entry.client) }

  /// Whether a client's session is to be exported.
  func isWanted(_ session: SessionID, of client: @autoclosure () -> String) -> Bool {
    if ids.isEmpty, globs.patterns.isEmpty { return true }
    if ids.contains(session) { return true }
    let client = client()
    return !globs.patterns.isEmpty && globs.matches(client) || SessionID(client).map(ids.contains) == true
  }
}

/// A part of the log that cannot be read.
struct LogGap: Equatable {
  /// The last position that was read before the gap.
  var after: Position
  /// The first position after the gap; `nil` when the gap reaches the end.
  var next: Position?
  /// The damaged file, as the daemon sees it, and the first bad byte or the start of its block.
  var file: String
  var offset: Int64
  /// The first position that a repair has given up; `nil` if the file is damaged.
  var lost: Position?

  /// Whether a repair has left it, so that nothing more can be done about it.
  var isRepaired: Bool { lost != nil }

  /// - Parameters:
  ///   - error: What a read ended with.
  ///   - last: The last position that was read.
  ///   - start: The position after which the read began.
  /// - Throws: The error, if it is no gap, or one that leads nowhere: it would be read forever.
  init(_ error: ServiceError, after last: Position, from start: Position) throws(ServiceError) {
    guard case .refused(.logDamaged(let file, let offset, let next, let lost)) = error else { throw error }
    if let next, next <= start + 1 { throw error }
    (after, self.next, self.file, self.offset, self.lost) = (last, next, file, offset, lost)
  }

  /// The gap as a message.
  var description: String {
    if let lost, let next {
      return
        "records were lost in a repair: the positions \(lost) to \(next - 1), skipping sessions that may have records there"
    }
    let place = next.map { "between the positions \(after) and \($0)" } ?? "after position \(after)"
    return
      "the log is damaged: \(file), byte \(offset): cannot read all records \(place), skipping sessions that may have "
      + "records there; if “scrollctl verify” finds the damage, “scrollctl repair” makes the rest of the file readable"
  }
}
