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
      "On a terminal that is too narrow, the rows leave out the clauses that decided, then have signs for the triggers and "
        + "no names of fields, and what still does not fit is cut.",
      subjects,
      "With --json, each row is an object, followed by each policy's tally. A row names its event by file and line, or by "
        + "client, session and number. Times and spans are in microseconds.",
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
    let progress = ProgressBar("compare", of: Int64(arguments.count), "recordings")
    let (sessions, isComplete) = try SessionLoader(invocation).load(arguments, progress: progress)
    if invocation.command.texts(compared).isEmpty, !invocation.command.texts(.set).isEmpty {
      PolicyChoice().warn(of: sessions, foldedBy: [policies[0]])
    }
    warnOfClassic(policies, sessions)
    let comparison = Comparison(policies, sessions: sessions.map(\.events), closings: sessions.map(\.closed))
    if invocation.wantsJSON {
      for row in comparison.rows where !invocation.command.has(summaryOnly) {
        try invocation.output.json(ComparisonRow(row: row, comparison, sessions[row.session]))
      }
      for tally in comparison.tallies { try invocation.output.json(ComparisonTally(tally: tally, sessions: sessions)) }
    } else if invocation.command.has(summaryOnly) {
      try invocation.output.lines(comparison.summary().map(visible))
    } else {
      try invocation.output.lines(lines(comparison, sessions, columns: invocation.style.columns))
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

  /// Warns if a policy decides by the finger's movement, and no event has it.
  private static func warnOfClassic(_ policies: [Policy], _ sessions: [LoadedSession]) {
    guard let policy = policies.first(where: { if case .classic = $0.rule { true } else { false } }),
      !sessions.contains(where: { $0.events.contains { $0.translationY != nil } })
    else { return }
    Program.warn(
      "no event has a translationY, by which the policy \(visible(policy.name)) decides: it hides the toolbar at the "
        + "first scroll, and shows it only at the bottom or when somebody zooms")
  }

  /// The comparison with as much detail as fits into the terminal.
  private static func lines(_ comparison: Comparison, _ sessions: [LoadedSession], columns: Int?) -> [String] {
    var lines: [String] = []
    for detail in Comparison.Detail.allCases {
      // The only session needs no name.
      let isShort = detail == .signs && sessions.count == 1
      lines = comparison.lines(detail: detail) { session, event in
        isShort ? sessions[session].shortLabel(event) : sessions[session].label(event)
      }.map(visible)
      if lines.allSatisfy({ $0.columnWidth <= columns ?? .max }) { return lines }
    }
    let note = "Lines are cut to \(columns ?? 0) columns; “scrollctl compare … | cat” has all of them."
    return lines.map { fitted($0, columns: columns ?? .max) } + [""] + wrapped(note, columns: columns ?? .max)
  }
}
