import Platform
import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let compared = Option(
    name: "policy", value: "NAME", repeats: true,
    summary: "A policy to compare; repeatable. Without it, the built-in policies")
  private static let expectSame = Option(
    name: "expect-same", summary: "Exit with status 1 if the policies differ anywhere")
  private static let maxFlickers = Option(
    name: "max-flickers", value: "N", summary: "Exit with status 1 if a policy has more than N flickers")
  private static let summaryOnly = Option(name: "summary", summary: "Print only each policy's counts")

  static let compare = Verb(
    name: "compare", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", repeats: true)],
    options: [compared, .set, .config, expectSame, maxFlickers, summaryOnly, .noPager] + SessionSources.options,
    summary: "Show where policies differ on recordings",
    details: [
      "A row of the table is an event after which the policies start to differ, differ in another way, or agree again. "
        + "Below the table, each policy has a count of the toolbar's turns, a count of turns back within 300 ms, the time "
        + "that the toolbar was hidden, and a list of such flickers by the event that turned the toolbar back. The time "
        + "counts from the first event to the last or to the closing, as in “reading” and “report”.",
      "Without --policy, scrollctl compares the built-in policies, and with --config also that configuration's. --set sets "
        + "the parameter in the last policy, which is then named after it; without --policy, it compares the default policy "
        + "with what --set makes of it. A single --policy has only counts.",
      "The last line has the number of sessions. If a CLIENT has other sessions than its newest, standard error says so.",
      "Standard error says if policies cannot be told apart because the samples are too far apart, as those of web pages often "
        + "are.",
      "A NAME may have parameters after it, as the names of variants have: --policy 'safari hideDistance=24'.",
      "On a terminal that is too narrow, the rows leave out the clauses that decided, then have signs for the triggers and "
        + "short names of fields, which are explained below. Long names of policies are broken, and other names shortened. Only "
        + "then columns are left out, and the last line names these; “scrollctl compare … | cat” has all of them.",
      subjects,
      "With --json, each row is an object, followed by each policy's tally, which has the number of sessions. A row names "
        + "its event by file and line, or by client, session and number. Times and spans are in microseconds.",
      "The exit status is 1 if --expect-same or --max-flickers found something, which standard error names. It is also 1 "
        + "if a session could not be read: then standard error says so, and scrollctl compares the others.",
    ],
    examples: [
      Example(
        arguments: "compare --policy classic --policy safari article.ndjson", meaning: "Compare the two rules."),
      Example(
        arguments: "compare --set hideDistance=40 *.ndjson", meaning: "See what hiding later would change."),
      Example(
        arguments: "compare --policy safari --summary --max-flickers 0 *.ndjson",
        meaning: "Fail a build if the toolbar flickers on any recording."),
      Example(
        arguments: "compare --policy safari --policy chrome --expect-same bug.ndjson",
        meaning: "Run a regression test, with status 1 if the policies differ."),
      Example(
        arguments: "compare --policy safari --policy chrome reader/main",
        meaning: "Compare policies on what the reader's window has just done."),
      Example(
        arguments: "compare --summary --since yesterday 'reader/*'",
        meaning: "Compare the built-in policies on everything that the readers did since yesterday."),
    ]
  ) { invocation in
    let limit = try invocation.command.integer(maxFlickers)
    let policies = try PolicyChoice(invocation.command).compared(
      named: invocation.command.texts(compared), set: invocation.command.texts(.set))
    if invocation.command.has(expectSame), policies.count < 2 {
      throw UsageError.missingOption("two policies to compare with --expect-same", verb: invocation.verbName)
    }
    let arguments = invocation.command.arguments
    let (sessions, isComplete) = try SessionLoader(invocation, reading: arguments).load(arguments)
    if invocation.command.texts(compared).isEmpty, !invocation.command.texts(.set).isEmpty {
      PolicyChoice().warn(of: sessions, foldedBy: [policies[0]])
    }
    warnOfClassic(policies, sessions)
    var clocks = ClockNote()
    clocks.add(sessions)
    clocks.warn()
    let progress = ProgressBar("compare", of: Int64(sessions.count), "sessions")
    let comparison = Comparison(
      policies, sessions: sessions.map(\.events), closings: sessions.map(\.closed),
      progress: progress.updateNowAndThen)
    progress.clear()
    if let note = SampleNote(sessions.map(\.events))?.message(comparison.tallies) { Program.warn(note) }
    if invocation.wantsJSON {
      for row in comparison.rows where !invocation.command.has(summaryOnly) {
        try invocation.output.json(ComparisonRow(row: row, comparison, sessions[row.session]))
      }
      for tally in comparison.tallies { try invocation.output.json(ComparisonTally(tally: tally, sessions: sessions)) }
    } else {
      let columns = invocation.style.columns
      let isSummary = invocation.command.has(summaryOnly)
      let table = isSummary ? summary(comparison, columns) : lines(comparison, sessions, columns)
      try invocation.output.lines(table.lines + ["", count(sessions)] + table.note)
    }
    var status = isComplete ? ExitStatus.done : .failed
    if invocation.command.has(expectSame), let row = comparison.rows.first {
      Program.warn("the policies differ, first at \(visible(sessions[row.session].label(row.event)))")
      status = .failed
    }
    for tally in comparison.tallies where Int64(tally.flickers.count) > limit ?? .max {
      let flickers = tally.flickers.count == 1 ? "1 flicker" : "\(tally.flickers.count) flickers"
      Program.warn("\(tally.policy.name) has \(flickers), more than --max-flickers \(limit ?? 0)")
      status = .failed
    }
    return status
  }

  /// The number of sessions, and where they are from.
  private static func count(_ sessions: [LoadedSession]) -> String {
    let paths = Set(sessions.compactMap(\.path)).count
    let (total, logged) = (sessions.count, sessions.count { $0.log != nil })
    let all = total == 1 ? "1 session" : "\(total) sessions"
    let files = paths == 1 ? "1 file" : "\(paths) files"
    if logged == 0 { return "\(all) from \(files)." }
    return logged == total ? "\(all) from the log." : "\(all): \(total - logged) from \(files), \(logged) from the log."
  }

  /// The lines, and a note about what they have no room for.
  private typealias Fitted = (lines: [String], note: [String])

  /// The comparison with as much detail as fits into the terminal.
  private static func lines(_ comparison: Comparison, _ sessions: [LoadedSession], _ columns: Int?) -> Fitted {
    let room = columns ?? .max
    // In few columns, the only session needs no name.
    let label = { (isShort: Bool) in
      { (session: Int, event: Int) in
        isShort && sessions.count == 1 ? sessions[session].shortLabel(event) : sessions[session].label(event)
      }
    }
    for detail in Comparison.Detail.allCases {
      let lines = comparison.lines(detail: detail, label: label(detail.isCompact)).map(visible)
      if lines.allSatisfy({ $0.columnWidth <= room }) { return (lines, []) }
    }
    return cut(comparison.lines(fitting: room, label: label(true)), to: room)
  }

  private static func summary(_ comparison: Comparison, _ columns: Int?) -> Fitted {
    let room = columns ?? .max
    for isNarrow in [false, true] {
      let lines = comparison.summary(isNarrow: isNarrow).map(visible)
      if lines.allSatisfy({ $0.columnWidth <= room }) { return (lines, []) }
    }
    return cut(comparison.summary(fitting: room), to: room)
  }

  /// Says which columns of a verb's table the terminal has no room for.
  static func missing(_ leftOut: [String], of verb: String) -> String {
    let missing = leftOut.isEmpty ? "the whole names" : visible(leftOut.joined(separator: ", "))
    return "No room for \(missing); “scrollctl \(verb) … | cat” has everything."
  }

  /// Cuts the lines that are still too wide, such as those with wide characters.
  private static func cut(_ table: (lines: [String], leftOut: [String]), to columns: Int) -> Fitted {
    let lines = table.lines.map(visible)
    let isCut = !table.leftOut.isEmpty || lines.contains { $0.contains("…") || $0.columnWidth > columns }
    let note = isCut ? wrapped(missing(table.leftOut, of: "compare"), columns: columns) : []
    return (lines.map { fitted($0, columns: columns) }, note)
  }
}
