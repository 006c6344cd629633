import JSON
import Platform
import ScrollClient
import ScrollModel

extension Verb {
  static let follow = Option(
    name: "follow", short: "f", summary: "Show the last 10, then each new record, until Ctrl-C")
  private static let lines = Option(
    name: "lines", short: "n", value: "N", summary: "Only the newest N records; with -f also 0")
  private static let limit = Option(name: "limit", value: "N", summary: "Only the oldest N records")
  private static let reverse = Option(name: "reverse", short: "r", summary: "The newest first")
  private static let since = Option(name: "since", value: "TIME", summary: "Only records of then or later")
  private static let until = Option(name: "until", value: "TIME", summary: "Only records of then or earlier")
  private static let format = Option(
    name: "output", short: "o", value: "short|json|ndjson-recording",
    summary: "The format: lines for people, the daemon's objects, or lines of a recording [short]")

  static let log = Verb(
    name: "log", group: .observe,
    arguments: [Argument(name: "SESSION|CLIENT|GLOB", isRequired: false, repeats: true)],
    options: [lines, follow, noReconnect, since, until, .clock, reverse, .after, limit, format, .noPager, .uid],
    summary: "Show the log's records: of sessions, of clients, or all",
    details: [
      "SESSION is an id of 32 hexadecimal digits, CLIENT a client's name, and GLOB a pattern over client names. Each line has "
        + "the record's position, its time, the client, an event's number in its session, and what happened. The time is when "
        + "the daemon received the record, by the daemon's clock; --by event-time selects and shows the client's own.",
      "As in journalctl, -n N are the newest N, and -f shows the last 10 and then waits for new ones; -f -n 0 shows only new "
        + "ones. On a terminal, a pager shows the lines ($SYSTEMD_PAGER, $PAGER, or less), and lines are cut at its width.",
      "An argument that selects nothing in the whole log is an error, and the exit status is 1; what the others select is shown "
        + "all the same.",
      "With -f, scrollctl waits for a daemon that is absent, and continues after one that restarts: it then misses no record "
        + "and shows none twice. If that is impossible, because a crash took records back or the log is another one, it says "
        + "so. It prints such notes among the lines for people, and otherwise to standard error.",
      "With --json, each line is the object that the daemon sends: position, received, client, user, session, number, "
        + "record. -o ndjson-recording prints the records as a recording, for one session after the other; “export” does it "
        + "for sessions at the same time. With -f, it needs one CLIENT or SESSION.",
    ],
    examples: [
      Example(arguments: "log reader/main -n 20", meaning: "Show the client's newest 20 records."),
      Example(arguments: "log -f 'reader/*'", meaning: "Show what the reader's windows send, as it arrives."),
      Example(
        arguments: "log --since '10 min ago' -r", meaning: "Show the records of the last ten minutes, the newest first."
      ),
      Example(
        arguments: "log -o ndjson-recording 0123456789abcdef0123456789abcdef > article.ndjson",
        meaning: "Save a session as a recording."),
    ]
  ) { invocation in
    let command = invocation.command
    for other in [limit, reverse, until] where command.has(follow) && command.has(other) {
      throw UsageError.conflict(follow.name, other.name)
    }
    if command.has(noReconnect), !command.has(follow) {
      throw UsageError.missingOption("--follow with --no-reconnect", verb: invocation.verbName)
    }
    for other in [lines, reverse] where command.has(limit) && command.has(other) {
      throw UsageError.conflict(limit.name, other.name)
    }
    let arguments = try command.arguments.map { try invocation.session(named: $0).map { "\($0.session)" } ?? $0 }
    var reading = LogReading(arguments, user: try command.uid(), at: try command.address())
    reading.query.after = try command.integer(.after)
    reading.query.limit = try command.integer(limit, in: 1...Int64.max)
    reading.clock = try invocation.clock()
    let (first, last) = (try invocation.time(since) ?? .min, try invocation.time(until, isEnd: true) ?? .max)
    guard first <= last else {
      throw UsageError.badValue(option: until.name, text: command.text(until) ?? "", expected: "a time after --since")
    }
    reading.times = first...last
    // As in journalctl, to follow without what is there already.
    let least: Int64 = command.has(follow) ? 0 : 1
    let count = try command.integer(lines, in: least...Int64(Int32.max)).map { Int($0) }
    let printer = try LogPrinter(invocation, format: command.text(format), clock: reading.clock)
    if command.has(follow), printer.isRecording, reading.query.session == nil, reading.query.client == nil {
      throw UsageError.missingOption(
        "one CLIENT or SESSION with --follow and -o ndjson-recording, in which one session follows the other",
        verb: invocation.verbName)
    }
    if !invocation.wantsJSON { OwnClientsHint.show(at: try invocation.command.address()) }
    if command.has(follow) {
      try within(reading.query.after) { try follow(reading, count, printer, invocation) }
      return .done
    }
    try within(reading.query.after) { try show(reading, count, printer, invocation) }
    if printer.isEmpty, let id = reading.query.session, command.arguments == ["\(id)"] {
      // A client's name may look like a session's id.
      reading.query.session = nil
      reading.query.client = command.arguments[0]
      try show(reading, count, printer, invocation)
    }
    let isLimited = [.after, since, until].contains(where: command.has)
    if printer.isEmpty, !isLimited, command.arguments.count == 1 {
      throw Failure(
        "the log has no record of “\(command.arguments[0])” that you may see",
        hint: UnmatchedArguments.hint(forPattern: command.arguments[0]) ?? Hints.beginningOfID(command.arguments[0]))
    }
    try printer.finish()
    try invocation.output.flush()
    // Among the newest N, or after a position, there need not be any.
    let isWhole = count == nil && !command.has(limit) && !isLimited
    let isDamaged = reading.gaps.report(behind: count == nil ? 0 : printer.least)
    if !printer.isEmpty, command.arguments.count == 1 { return isDamaged ? .failed : .done }
    if !isWhole { reading.unmatched.matchAnySession(of: try command.uid(), at: reading.address) }
    return reading.unmatched.report(takesFiles: false) || isDamaged ? .failed : .done
  }

  private static func show(
    _ reading: LogReading, _ count: Int?, _ printer: LogPrinter, _ invocation: Invocation
  ) throws {
    if invocation.command.has(reverse) {
      let last = try LogReading.lastPosition(at: reading.address)
      try reading.readReversed(count ?? .max, through: last, printer.print)
    } else if let count {
      let last = try LogReading.lastPosition(at: reading.address)
      for entry in try reading.newest(count, through: last) { try printer.print(entry) }
    } else if printer.isJSON, reading.isDaemons, reading.query.limit == nil {
      let daemon = try ServiceConnection(reading.address)
      try reading.gaps.passing(reading.query) { try daemon.readLines($0, printer.print) }
    } else {
      var rest = reading.query.limit ?? .max
      var reading = reading
      // The daemon's limit counts what it selects.
      if !reading.isDaemons { reading.query.limit = nil }
      try reading.read { entry in
        try printer.print(entry)
        rest -= 1
        return rest > 0
      }
    }
  }

  /// Shows the newest records, and then those that come.
  private static func follow(
    _ reading: LogReading, _ count: Int?, _ printer: LogPrinter, _ invocation: Invocation
  ) throws {
    var query = reading.query
    let reconnects = !invocation.command.has(noReconnect)
    var reconnection = LogReconnection(to: reading.address, invocation.output, note: printer.note)
    let last = reconnects ? try reconnection.wait() : try LogReading.lastPosition(at: reading.address)
    let isLimited = [.after, since].contains(where: invocation.command.has)
    if count != nil || !isLimited {
      if count != 0 {
        for entry in try reading.newest(count ?? 10, through: last) { try printer.print(entry) }
      }
      query.after = last
    }
    while true {
      do {
        try follow(&query, reading, printer, invocation)
      } catch let error as ServiceError {
        guard error.isLoss else { throw error }
        guard reconnects else {
          throw Failure(
            "\(error)", hint: query.after.map { "To continue after what was shown, use --after \($0)." })
        }
        let place = try reconnection.resume(after: query.after, lost: error)
        // Without a position, nothing has been read yet.
        if query.after != nil { query.after = place }
      }
    }
  }

  /// Shows the records that come until the connection ends, and moves the query's position past them.
  private static func follow(
    _ query: inout LogQuery, _ reading: LogReading, _ printer: LogPrinter, _ invocation: Invocation
  ) throws {
    let follower = try LogFollower(query, at: reading.address)
    // A wait may end with an error after a reading that has found nothing.
    defer { query.after = follower.position ?? query.after }
    while case .element(let update) = try invocation.output.wait(for: follower.next(timeout:)) {
      if case .entry(let entry) = update, reading.wants(entry) { try printer.print(entry) }
    }
  }
}

/// Prints records of the log.
final class LogPrinter {
  private enum Format: String, CaseIterable {
    case short, json
    case recording = "ndjson-recording"
  }

  private(set) var isEmpty = true
  /// The least position that was printed as an entry.
  private(set) var least = Position.max
  private let invocation: Invocation
  private let format: Format
  private let clock: LogReading.Clock
  private var text: LogText
  /// The session that a recording is in.
  private var session: SessionID?

  init(_ invocation: Invocation, format name: String?, clock: LogReading.Clock) throws(UsageError) {
    self.invocation = invocation
    self.clock = clock
    text = LogText(style: invocation.style, clock: clock)
    guard let name else {
      format = invocation.wantsJSON ? .json : .short
      return
    }
    guard let format = Format(rawValue: name) else {
      throw .badValue(option: "output", text: name, expected: "short, json or ndjson-recording")
    }
    if invocation.wantsJSON, format != .json { throw .conflict(Option.json.name, "output") }
    self.format = format
  }

  var isJSON: Bool { format == .json }
  var isRecording: Bool { format == .recording }

  /// Prints a line of JSON, for events the one that the daemon sent.
  func print(_ line: LogLine) throws {
    switch line {
    case .event(let event):
      try invocation.output.plainLine(event.json)
      isEmpty = false
    case .entry(let entry): try print(entry)
    }
  }

  func print(_ entry: LogEntry) throws {
    least = min(least, entry.position)
    switch format {
    case .short:
      if isEmpty {
        let clock = clock == .received ? "the daemon's clock" : "the clients' clocks"
        try invocation.output.line(invocation.style.dim("-- times by \(clock) --"))
      }
      try invocation.output.line(invocation.style.fitted(text.line(entry)))
    case .json: try invocation.output.line(entry.json)
    case .recording: try printRecording(entry)
    }
    isEmpty = false
  }

  /// Prints a line about the output itself, as journalctl does. Only lines for people may have others among them.
  func note(_ text: String) throws {
    let line = "-- \(text) --"
    if format == .short {
      try invocation.output.lines(invocation.style.wrapped(line).map(invocation.style.dim))
    } else {
      try invocation.output.flush()
      Program.printNote(line)
    }
  }

  /// Says that there is no record, to people.
  func finish() throws {
    if isEmpty, format == .short { try invocation.output.line(invocation.style.dim("-- no records --")) }
  }

  private func printRecording(_ entry: LogEntry) throws {
    if let session, session != entry.session {
      throw Failure(
        "the sessions \(session) and \(entry.session) have records among each other: a recording has one after the other",
        hint: "Name one SESSION, or use “scrollctl export”.")
    }
    session = entry.session
    if case .close = entry.record { session = nil }
    try invocation.output.line(entry.recordJSON)
  }
}
