import Platform
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let output = Option(
    name: "output", value: "DIR", summary: "Write a file per session to this directory")
  private static let damaged = Option(
    name: "damaged", summary: "Also export what is left of sessions that lost events where the log is damaged")
  private static let flat = Option(
    name: "flat", summary: "Add the client and the session to each line, for tables")
  private static let sqlite = Option(
    name: "sqlite", value: "FILE", summary: "Write tables of sessions, events and measures to an SQLite file")
  private static let csv = Option(
    name: "csv", value: "DIR", summary: "Write the same tables as CSV files to a new directory")
  private static let force = Option(
    name: "force", summary: "Replace existing files of --output or --sqlite, or the directory of --csv")

  static let export = Verb(
    name: "export", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", isRequired: false, repeats: true)],
    options: [SessionSources.since, SessionSources.until, output, flat, damaged, sqlite, csv, force, .uid],
    summary: "Write sessions of the daemon's log as recordings",
    details: [
      "SESSION is the session with this id of 32 hexadecimal digits, or with this name, such as reader/main@0123abcd; CLIENT and "
        + "GLOB are all sessions of the client, or of the clients whose names match. Without any, all sessions are exported. "
        + "They follow each other in the order in which they began. FILE, a recording, is for --sqlite and --csv only.",
      "A session is always exported completely, even if only a part of it is within the given times, so that it folds to "
        + "the same result. --since and --until select by when the daemon received records, which for imported sessions is "
        + "when they were imported; “sessions --by event-time” finds sessions by the day when they were recorded. If the log no longer has a session's beginning, or is damaged where the session may have "
        + "events, the session is left out with a message, and the exit status is 1. A session that was open where the log "
        + "is damaged is complete if the numbers of its events continue after it. An open session has no close line.",
      "With “--damaged”, sessions that lost events are exported with those that are left, so that they fold to another result "
        + "from there on; the message and the exit status stay. Tables have no such sessions, whose measures would be wrong.",
      "The open line has the session's id, its user if that is not you, its policy with all parameters, its time by the client's clock, and as received "
        + "the time by the daemon's. With --flat, each line has client and session, so that a program can read all lines as "
        + "one table; the other verbs do not read such lines.",
      "--sqlite and --csv write the tables session, event, transition, reading and band instead. In tables, session is a number that joins the tables of this export, and id in the table session is the "
        + "hexadecimal id, which recordings, --flat, “sessions” and “reading” call session. Column names and units are in the "
        + "schema; times are in microseconds, and reading has the measures of “reading”. Texts are as the client sent them, also in CSV: a title may have characters that control a terminal. The "
        + "file appears when it is complete, and an existing one is refused without --force. A program that is killed leaves "
        + "what it had written beside it, under the same name with .PID.tmp at its end; you can delete it.",
    ],
    examples: [
      Example(arguments: "export > all.ndjson", meaning: "Export the whole log."),
      Example(
        arguments: "export --since yesterday --output recordings 'reader/*'",
        meaning: "Export these clients' sessions, each to a file of its own."),
      Example(
        arguments: "export --flat 'reader/*' > events.ndjson",
        meaning: "Write a table for pandas: pd.read_json('events.ndjson', lines=True)."),
      Example(
        arguments: "export --sqlite log.db", meaning: "Export the whole log to tables, for SQL, pandas or R."),
      Example(
        arguments: "export | scrollctl --socket /tmp/other import -", meaning: "Copy all sessions to another daemon."),
    ]
  ) { invocation in
    if let tables = try tables(invocation) { return try export(tables, invocation) }
    // A session that no name such as reader/main@0123abcd stands for is found by its id.
    let arguments = try invocation.command.arguments.map {
      try invocation.session(named: $0).map { "\($0.session)" } ?? $0
    }
    var index = SessionIndex(arguments)
    index.user = try invocation.command.uid()
    if let times = try SessionSources.times(invocation) {
      (index.since, index.until) = (times.lowerBound, times.upperBound)
    }
    let daemon = try invocation.connect()
    let directory = invocation.command.text(output)
    let isOwn = try directory.map { try POSIXFileSystem().makeDirectory($0) } ?? false
    // If nothing could be written, the directory is in the way of nobody. Any content keeps it.
    defer { if isOwn, let directory { try? Directory.remove(directory) } }
    var names: Set<String> = []
    let (keepsDamaged, replaces) = (invocation.command.has(damaged), invocation.command.has(force))
    let progress = ReadProgress("export")
    progress.end = { try LogReading.lastPosition(at: daemon.address) }
    var status = ExitStatus.done
    func warn(_ text: String, isFailure: Bool = true) throws {
      try invocation.output.flush()
      progress.clear()
      Program.warn(text)
      if isFailure { status = .failed }
    }
    let export = SessionExport(index, isFlat: invocation.command.has(flat), keepsDamaged: keepsDamaged) {
      session, lines in
      if let loss = session.loss {
        let isKept = loss == .events && keepsDamaged
        try warn(text(loss, of: session, isKept: isKept))
        if !isKept { return }
      }
      if let directory {
        let name = session.fileName(names.contains)
        names.insert(name)
        let path = directory + "/" + name
        try write(session, lines, to: path, replaces: replaces)
        progress.clear()
        try report(session, path, invocation)
      } else {
        progress.clearForOutput()
        try lines.take(session.key) { try invocation.output.raw($0) }
      }
    }
    let isFound = try export.run(of: daemon) {
      try warn($0.description, isFailure: !$0.isRepaired)
    } progress: {
      progress.countRecord(at: $0)
    }
    progress.clear()
    if !isFound { throw export.unmatched.failure(takesFiles: false) }
    try invocation.output.flush()
    return export.unmatched.report(takesFiles: false) ? .failed : status
  }

  /// The place of the tables that the command line asks for; `nil` when it asks for recordings.
  private static func tables(_ invocation: Invocation) throws -> TablePlace? {
    let command = invocation.command
    let given = [output, sqlite, csv].filter(command.has)
    if given.count > 1 { throw UsageError.conflict(given[0].name, given[1].name) }
    for table in [sqlite, csv] where command.has(damaged) && command.has(table) {
      throw UsageError.conflict(damaged.name, table.name)
    }
    for table in [sqlite, csv] where command.has(flat) && command.has(table) {
      throw UsageError.conflict(flat.name, table.name)
    }
    let replaces = command.has(force)
    let inputs = command.arguments
    if let path = command.text(sqlite) {
      if path == "-" {
        throw UsageError.badValue(option: sqlite.name, text: path, expected: notStandardOutput("a file"))
      }
      try ReplacedFile.refuse(path, amongInputs: inputs)
      return .sqlite(path, replaces: replaces)
    }
    if let path = command.text(csv) {
      if path == "-" {
        throw UsageError.badValue(
          option: csv.name, text: path,
          expected: notStandardOutput("a directory, for a file per table") + "; “reading --csv” prints one table")
      }
      for input in inputs where StateDirectory.contains(path, input) {
        throw Failure("\(input) is in \(path), which this export would replace")
      }
      return .csv(path, replaces: replaces)
    }
    if replaces, !command.has(output) {
      throw UsageError.missingOption("--output, --sqlite or --csv with --force", verb: invocation.verbName)
    }
    return nil
  }

  private static func notStandardOutput(_ place: String) -> String { "the name of \(place), not standard output" }

  /// Writes sessions to tables. If a signal ends the program, nothing is left behind.
  private static func export(_ place: TablePlace, _ invocation: Invocation) throws -> ExitStatus {
    let interruption = Interruption()
    defer { interruption.release() }
    let sources = try SessionSources(invocation, naming: .all)
    let (tables, leftOut) = try sources.read(check: interruption.check) { try TableExport(place.create()) }
    try tables.commit()
    if let text = leftOut.description { Program.warn(text) }
    try report(tables, place, invocation)
    return leftOut.isLoss ? .failed : .done
  }

  private static func report(_ tables: TableExport, _ place: TablePlace, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("file", place.path)
        $0.member("sessions", tables.sessions)
        $0.member("events", tables.events)
      }
    } else {
      let sessions = tables.sessions == 1 ? "1 session" : "\(tables.sessions) sessions"
      let events = tables.events == 1 ? "1 event" : "\(tables.events) events"
      try invocation.output.line("\(visible(place.path)): \(sessions), \(events)")
    }
  }

  private static func text(_ loss: ExportedSession.Loss, of session: ExportedSession, isKept: Bool) -> String {
    let name = "the session \(session.id) of \(session.client)"
    return switch loss {
    case .trimmed:
      "skipped \(name): the log no longer has its beginning, so that it would fold to another result"
    case .beginning:
      "skipped \(name): its beginning is where the log is damaged"
    case .events where isKept:
      "\(name) may have lost events where the log is damaged: it folds to another result from there on"
    case .events:
      "skipped \(name): it may have lost events where the log is damaged; --damaged exports what is left of it"
    }
  }

  /// Writes a session to a file, which gets its content only when it is complete.
  private static func write(
    _ session: ExportedSession, _ lines: LineSpool<ExportedSession.Key>, to path: String, replaces: Bool
  ) throws {
    let file = try ReplacedFile(path, replaces: replaces)
    try lines.take(session.key) { piece in try file.append(piece) }
    try file.commit(isDurable: false)
  }

  private static func report(_ session: ExportedSession, _ path: String, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("file", path)
        $0.member("client", session.client)
        $0.member("user", session.user)
        $0.member("session", session.id)
        $0.member("events", session.events)
      }
    } else {
      let events = session.events == 1 ? "1 event" : "\(session.events) events"
      try invocation.output.line("\(visible(path)): \(events) of \(visible(session.client))")
    }
  }
}
