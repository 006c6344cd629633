import Platform
import ScrollAnalysis

extension Verb {
  private static let by = Option(
    name: "by", value: "client|application|title", summary: "Sum up the sessions of each client, application or title")
  private static let bands = Option(
    name: "bands", value: "N", summary: "Cut the content into N equal parts [100]")
  private static let idle = Option(
    name: "idle", value: "SPAN", summary: "Count at most SPAN between two events as reading [30s]")
  private static let csv = Option(name: "csv", summary: "Print comma-separated values (RFC 4180)")

  static let reading = Verb(
    name: "reading", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", isRequired: false, repeats: true)],
    options: [by, bands, idle, csv] + SessionSources.options,
    summary: "Measure how far and how long people read",
    details: [
      "Prints a line for each session, if there are at most \(ReadingText.sessionLines), and the quartiles of each measure "
        + "over all sessions. The last table has the share of the sessions in which the content was seen to each tenth.",
      "Reach is the share of the content that was ever on screen. The measures, some of which are columns of the sessions' "
        + "lines, are listed below. The sessions of a file are named after their clients if it has several.",
      SessionSources.details,
      "The toolbar's measures are those under a logged session's own policy, and under the default policy for a FILE, whatever "
        + "policy was in force when it was recorded; “compare” has other policies.",
      "With --json, each session is an object with all measures, and the time that each part of the content was on "
        + "screen; then each group of --by, and all sessions together. A measure that a session does not tell is left "
        + "out. Times are in microseconds, lengths in points, shares between 0 and 1. With --csv, each session is a row, or "
        + "with --by each measure of a group; texts are as the client sent them, and escaped only on a terminal.",
      "The duration is the difference of the last time and the first, at least 0, by the client's clock. If that was set back "
        + "meanwhile, the active time can be longer, and “compare”, “sessions” and “timeline” have another duration: they "
        + "leave out steps back of more than 1 s.",
      "Speeds are in points per millisecond, of the step from a scroll event to the next. An acceleration is the change of speed "
        + "from a step to the next, divided by the time of the first of them. So after a rest, the first movement counts as "
        + "if it had come within the time of the step before the rest.",
      "Sessions without events are left out, and a message counts them. So are sessions whose beginning the log no longer has, "
        + "or that may have records where the log is damaged; then the exit status is 1, too.",
    ],
    glossary: Glossary(
      heading: "Measures",
      terms: Reading.Measure.allCases.map { measure in
        let heading = ReadingText.heading(of: measure).flatMap { $0 == measure.name ? nil : " (column “\($0)”)" } ?? ""
        return (measure.name, measure.meaning + heading)
      }),
    examples: [
      Example(arguments: "reading article.ndjson", meaning: "Measure a recording."),
      Example(
        arguments: "reading --by title --since yesterday 'reader/*'",
        meaning: "See how far each article was read since yesterday."),
      Example(
        arguments: "reading --csv > reading.csv", meaning: "Write the measures of all sessions of the log to a table."),
    ]
  ) { invocation in
    let key = try groupKey(invocation)
    if invocation.wantsJSON, invocation.command.has(csv) { throw UsageError.conflict("json", csv.name) }
    let (bands, idle) = (try bandCount(invocation), try idleTime(invocation))
    let sources = try SessionSources(invocation)
    let (measured, leftOut) = try sources.read { MeasuredSessions(bands: bands, idle: idle) }
    if let text = leftOut.description { Program.warn(text) }
    measured.clocks.warn()
    if invocation.wantsJSON {
      for session in measured.sessions { try invocation.output.json(ReadingJSON(session: session)) }
      for group in ReadingGroup.groups(measured, by: key) { try invocation.output.json(PopulationJSON(group: group)) }
    } else if invocation.command.has(csv) {
      try writeCSV(measured, by: key, ReadingCSV(isForTerminal: invocation.style.isTerminal), to: invocation.output)
    } else {
      try print(measured, by: key, invocation)
    }
    return leftOut.isLoss ? .failed : .done
  }

  private static func print(_ measured: MeasuredSessions, by key: ReadingGroup.Key?, _ invocation: Invocation) throws {
    let text = ReadingText(style: invocation.style)
    let sessions = measured.sessions
    if sessions.count <= ReadingText.sessionLines {
      try invocation.output.lines(text.sessions(sessions))
      try invocation.output.line("")
    }
    for (index, group) in ReadingGroup.groups(measured, by: key).enumerated() {
      if index > 0 { try invocation.output.line("") }
      try invocation.output.lines(text.group(group))
    }
  }

  private static func writeCSV(
    _ measured: MeasuredSessions, by key: ReadingGroup.Key?, _ table: ReadingCSV, to output: Output
  ) throws {
    if let key {
      try output.raw(table.groupHeading(key))
      for group in ReadingGroup.groups(measured, by: key).dropLast() { try output.raw(table.rows(group)) }
    } else {
      try output.raw(table.heading(bands: measured.bands))
      for session in measured.sessions { try output.raw(table.row(session, bands: measured.bands)) }
    }
  }

  private static func groupKey(_ invocation: Invocation) throws -> ReadingGroup.Key? {
    guard let text = invocation.command.text(by) else { return nil }
    if let key = ReadingGroup.Key(rawValue: text) { return key }
    throw UsageError.badValue(option: by.name, text: text, expected: "client, application or title")
  }

  private static func bandCount(_ invocation: Invocation) throws -> Int {
    Int(try invocation.command.integer(bands, in: 1...10_000) ?? Int64(ReadingMeter.standardBands))
  }

  private static func idleTime(_ invocation: Invocation) throws -> Int64 {
    guard let text = invocation.command.text(idle) else { return ReadingMeter.standardIdle }
    if let span = TimeSpan.microseconds(text) { return span }
    throw UsageError.badValue(option: idle.name, text: text, expected: "a time span such as 30s, 2min or infinity")
  }
}
