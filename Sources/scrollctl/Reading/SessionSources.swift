import Platform
import ScrollClient
import ScrollJSON
import ScrollModel
import ScrollService

/// The sessions that a verb's arguments select from files and from the daemon's log. They are read event by event, so that the
/// log may be of any size.
struct SessionSources {
  /// What a client's name selects.
  enum Naming {
    /// The client's newest session, unless the name is a pattern.
    case newest
    /// All its sessions.
    case all
  }

  static let since = Option(
    name: "since", value: "TIME", summary: "Only sessions with a record received then or later")
  static let until = Option(
    name: "until", value: "TIME", summary: "Only sessions with a record received then or earlier")
  static let options = [since, until, Option.uid]

  /// The description of the arguments, for help.
  static let details =
    "FILE is a recording with one JSON object per line, or “-” for standard input. GLOB is a pattern over client names with "
    + "*, ? or […], and selects all sessions of the daemon's log of clients that match. CLIENT is the client's newest session; "
    + "SESSION is the session with this id, or with this name, such as reader/main@0123abcd. An existing file counts as a FILE. A "
    + "session that several arguments select counts once. Without arguments, all sessions of the log "
    + "are read. --since and --until select among the sessions of the log, by when the daemon received their records: for an "
    + "imported session, that is when it was imported. “sessions --by event-time” finds sessions by the day when they were "
    + "recorded. A session is always read completely."

  private let invocation: Invocation
  private let arguments: [String]
  private var files: [String] = []
  private var ids: Set<SessionID> = []
  private var newest: [String] = []
  private var globs: [String] = []
  private let times: ClosedRange<Int64>?
  private let user: UInt32?
  private let progress: ReadProgress?

  /// Creates the sources of a command line.
  ///
  /// - Parameters:
  ///   - arguments: Some of the arguments; all if `nil`.
  ///   - progress: Shows how much is read, if this is a part of what it shows.
  /// - Throws: `UsageError` for a bad time or user id, or the daemon's error when a name that could be a session's is looked up.
  init(
    _ invocation: Invocation, _ arguments: [String]? = nil, naming: Naming = .newest, progress: ReadProgress? = nil
  ) throws {
    self.invocation = invocation
    self.progress = progress
    self.arguments = arguments ?? invocation.command.arguments
    user = try invocation.command.uid()
    times = try Self.times(invocation)
    for argument in self.arguments {
      switch Subject(argument) {
      case .file(let path): files.append(path)
      case .session(let id): ids.insert(id)
      case .client(let name):
        if naming == .all, let named = try invocation.session(named: name) {
          ids.insert(named.session)
        } else if naming == .all || name.isClientPattern {
          globs.append(name)
        } else {
          newest.append(name)
        }
      }
    }
  }

  /// Returns the times of --since and --until; `nil` without them.
  static func times(_ invocation: Invocation) throws -> ClosedRange<Int64>? {
    let (first, last) = (try invocation.time(since), try invocation.time(until, isEnd: true))
    if let first, let last, first > last {
      throw UsageError.badValue(
        option: until.name, text: invocation.command.text(until) ?? "", expected: "a time after --since")
    }
    return first == nil && last == nil ? nil : (first ?? .min)...(last ?? .max)
  }

  /// Whether the arguments select sessions of the log.
  private var selectsLog: Bool { files.isEmpty || !ids.isEmpty || !newest.isEmpty || !globs.isEmpty }

  /// Reads the selected sessions into a sink.
  ///
  /// - Parameters:
  ///   - check: Called now and then; it may throw to stop.
  ///   - makeSink: Makes an empty sink. If the log turns out to be damaged, the sessions are read again into another one,
  ///     without those that may have lost records.
  /// - Returns: The sink, and what was left out. Damaged parts of the log were reported.
  /// - Throws: ``Failure`` for a bad file, or when nothing is selected.
  func read<Sink: SessionSink>(
    check: @escaping () throws -> Void = {}, into makeSink: () throws -> Sink
  ) throws -> (sink: Sink, leftOut: LeftOut) {
    let unmatched = UnmatchedArguments(ids.map(\.description) + globs, isLimited: times != nil)
    var missing: [any Error] = []
    let files = existing(&missing)
    let names = DistinctNames(files)
    var newestOnly = NewestOnly(invocation)
    let newest = newest.isEmpty ? [] : try findNewest(&newestOnly, &missing)
    if files.isEmpty, newest.isEmpty, ids.isEmpty, globs.isEmpty, let last = missing.popLast() {
      for error in missing { Program.report(error) }
      throw last
    }
    let progress = progress ?? ReadProgress(files: files)
    let address = try invocation.command.address()
    progress.end = { try LogReading.lastPosition(at: address) }
    var selection = LogSelection(ids: [], patterns: [], user: user)
    var pass = SessionPass(sink: try makeSink(), progress: progress, unmatched: unmatched, check: check)
    for file in files {
      do {
        try pass.read(file: file, as: names[file])
      } catch let failure as Failure where self.arguments.count > 1 && !pass.hasBegun(file) {
        // Nothing of it was handed over. One bad argument must not hide what the others show.
        missing.append(failure)
      }
    }
    let good = files.filter(pass.hasBegun)
    if good.isEmpty, newest.isEmpty, ids.isEmpty, globs.isEmpty, let last = missing.popLast() {
      pass.sink.abandon()
      for error in missing { Program.report(error) }
      throw last
    }
    if selectsLog, arguments.isEmpty || !newest.isEmpty || !ids.isEmpty || !globs.isEmpty {
      selection = try select(newest, unmatched)
      if !(try pass.readLog(from: invocation.connect(), selection)) {
        // Only a look at the whole log tells which sessions may have lost records.
        selection = try examined(newest, unmatched)
        pass.sink.abandon()
        pass = SessionPass(sink: try makeSink(), progress: progress, unmatched: unmatched, check: check)
        for file in good { try pass.read(file: file, as: names[file]) }
        _ = try pass.readLog(from: invocation.connect(), selection)
      }
    }
    progress.clear()
    var leftOut = pass.leftOut
    leftOut.hasUnmatched = !missing.isEmpty
    for error in missing { Program.report(error) }
    leftOut.trimmed += selection.trimmed
    leftOut.damaged += selection.damaged
    leftOut.hasGap = selection.gaps.contains { !$0.isRepaired }
    if pass.sessions == 0 {
      if let id = selection.outside.last {
        for id in selection.outside.dropLast() { Program.report(Self.isOutside(id, newestOnly)) }
        throw Self.isOutside(id, newestOnly)
      }
      let reason = leftOut.description.map { "; \($0)" } ?? ""
      throw selectsLog
        ? unmatched.failure(takesFiles: true, note: reason) : Failure("no session is selected\(reason)")
    }
    if unmatched.report(takesFiles: true) { leftOut.hasUnmatched = true }
    for id in selection.outside {
      Program.report(Self.isOutside(id, newestOnly))
      leftOut.hasUnmatched = true
    }
    newestOnly.warn(taken: ids.union(newest).subtracting(selection.outside))
    return (pass.sink, leftOut)
  }

  /// Returns the files that can be opened. A file that exists but is no recording is an error of its own.
  private func existing(_ missing: inout [any Error]) -> [String] {
    var distinct = DistinctFiles()
    return files.filter { file in
      do {
        guard distinct.insert(file) else { return false }
        if file != "-" { _ = try SystemError.wrapping("open", file) { () throws(Errno) in try FileStatus(file) } }
        return true
      } catch {
        missing.append(error)
        return false
      }
    }
  }

  private static func isOutside(_ session: SessionID, _ newest: NewestOnly) -> Failure {
    let name = newest.client(of: session).map { "the newest session of “\($0)”" } ?? "the session \(session)"
    return Failure("the daemon received nothing of \(name) in the given time", hint: Hints.receivedTime)
  }

  private func findNewest(_ newestOnly: inout NewestOnly, _ missing: inout [any Error]) throws -> [SessionID] {
    var found: [SessionID] = []
    for client in newest {
      do {
        found.append(try newestSession(of: client, &newestOnly))
      } catch {
        missing.append(error)
      }
    }
    return found
  }

  private func select(_ newest: [SessionID], _ unmatched: UnmatchedArguments) throws -> LogSelection {
    if times != nil { return try examined(newest, unmatched) }
    var selection = LogSelection(ids: ids, patterns: globs, user: user)
    for session in newest { selection.add(session) }
    return selection
  }

  private func newestSession(of client: String, _ newestOnly: inout NewestOnly) throws -> SessionID {
    if (try? FileStatus(client))?.kind == .directory { throw UnmatchedArguments.failure(client, takesFiles: true) }
    do {
      let state = try invocation.connect().state(of: client, user: user)
      // No pattern at all matches every name.
      if globs.isEmpty || !Glob(globs).matches(client) {
        newestOnly.add(NewestOnly.Place(client: client, user: state.user, session: state.session))
      }
      return state.session
    } catch let error as ServiceError {
      if let named = try invocation.connect().session(named: client, user: user) { return named.session }
      let text = error.refusal?.text(about: client) ?? error.description
      throw Failure("“\(client)” is not a file, and \(text)", hint: Hints.hint(for: error))
    }
  }

  /// Looks at the whole log for the selected sessions, and reports damaged parts.
  private func examined(_ newest: [SessionID], _ unmatched: UnmatchedArguments) throws -> LogSelection {
    var index = SessionIndex(ids.map(\.description) + newest.map(\.description) + globs)
    index.user = user
    if let times { (index.since, index.until) = (times.lowerBound, times.upperBound) }
    let (found, gaps) = try index.sessions(of: invocation.connect())
    for gap in gaps { Program.warn(gap.description) }
    var selection = LogSelection(ids: [], patterns: [], user: user)
    selection.gaps = gaps
    for session in found {
      unmatched.match(session.id, of: session.client)
      switch session.loss {
      case nil: selection.add(session.id)
      case .trimmed: selection.trimmed += 1
      case .beginning, .events: selection.damaged += 1
      }
    }
    let inTime = Set(found.map(\.id))
    selection.outside = newest.filter { !inTime.contains($0) }
    selection.isComplete = true
    return selection
  }
}

/// Which sessions of the log to read.
struct LogSelection {
  private var ids: Set<SessionID>
  private let globs: Glob
  let user: UInt32?
  /// Whether the ids are all that is wanted, and known to be complete.
  var isComplete = false
  /// The damaged parts of the log.
  var gaps: [LogGap] = []
  /// The sessions of which nothing was received in the given time.
  var outside: [SessionID] = []
  /// The sessions that were left out.
  var trimmed = 0
  var damaged = 0

  init(ids: Set<SessionID>, patterns: [String], user: UInt32?) {
    self.ids = ids
    globs = Glob(patterns)
    self.user = user
    selectsAll = ids.isEmpty && patterns.isEmpty
  }

  private var selectsAll: Bool

  mutating func add(_ id: SessionID) {
    ids.insert(id)
    selectsAll = false
  }

  /// The only session that is wanted, if there is only one.
  var only: SessionID? { globs.patterns.isEmpty && ids.count == 1 ? ids.first : nil }

  /// Whether nothing is wanted.
  var isEmpty: Bool { isComplete && ids.isEmpty }

  func wants(_ session: SessionID, of client: String) -> Bool {
    if isComplete { return ids.contains(session) }
    return selectsAll || ids.contains(session) || !globs.patterns.isEmpty && globs.matches(client)
  }
}
