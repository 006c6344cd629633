import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let compared = Option(
    name: "policy", value: "NAME", repeats: true, summary: "A policy to compare; give two or more")
  private static let expectSame = Option(
    name: "expect-same", summary: "Exit with status 1 if the policies differ anywhere")

  static let compare = Verb(
    name: "compare", group: .recordings,
    arguments: [Argument(name: "FILE|CLIENT|SESSION", repeats: true)],
    options: [compared, .set, .config, expectSame, .uid],
    summary: "Show where policies differ on recordings",
    details: [
      "A row of the table is an event after which the policies start to differ, differ in another way, or agree again. "
        + "Below the table, each policy has a count of the toolbar's turns, a count of turns back within 300 ms, the time "
        + "that the toolbar was hidden, and a list of such flickers by the event that turned the toolbar back. --set sets "
        + "the parameter in the last policy.",
      subjects,
      "With --json, each row is an object, followed by each policy's tally. A row names its event by file and line, or by "
        + "client, session and number. Times and spans are in microseconds.",
    ],
    examples: [
      Example(
        arguments: "compare --policy classic --policy safari article.ndjson", meaning: "Compare the two rules."),
      Example(
        arguments: "compare --policy safari --policy safari --set hideDistance=40 *.ndjson",
        meaning: "See what hiding later would change."),
      Example(
        arguments: "compare --policy safari --policy chrome --expect-same bug.ndjson",
        meaning: "Run a regression test, with status 1 if the policies differ."),
      Example(
        arguments: "compare --policy safari --policy chrome reader/main",
        meaning: "Compare policies on what the reader's window has just done."),
    ]
  ) { invocation in
    let names = invocation.command.texts(compared)
    guard names.count >= 2 else { throw UsageError.missingOption("--policy A --policy B", verb: "compare") }
    let choice = try PolicyChoice(invocation.command)
    let policies = try choice.policies(named: names, set: invocation.command.texts(.set))
    let sessions = try invocation.command.arguments.flatMap(SessionLoader(invocation).load)
    let comparison = Comparison(policies, sessions: sessions.map(\.events))
    if invocation.wantsJSON {
      for row in comparison.rows {
        try invocation.output.json(ComparisonRow(row: row, comparison, sessions[row.session]))
      }
      for tally in comparison.tallies { try invocation.output.json(ComparisonTally(tally: tally, sessions: sessions)) }
    } else {
      let lines = comparison.lines { session, event in sessions[session].label(event) }
      try invocation.output.lines(lines.map(visible))
    }
    return invocation.command.has(expectSame) && !comparison.isSame ? .failed : .done
  }
}
