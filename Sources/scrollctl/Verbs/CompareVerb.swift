// scrollctl compare: where policies differ.

import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let compared = Option(
    name: "policy", value: "NAME", repeats: true, summary: "A policy to compare; give two or more")
  private static let expectSame = Option(
    name: "expect-same", summary: "Exit with status 1 when any event makes a difference")

  static let compare = Verb(
    name: "compare", group: .recordings,
    arguments: [Argument(name: "FILE|CLIENT|SESSION", repeats: true)],
    options: [compared, .set, .config, expectSame, .uid],
    summary: "Show where policies make different things of recordings",
    details: [
      "A row of the table is an event after which the policies begin to differ, differ otherwise, or agree again. Below "
        + "stand for each policy how often the toolbar turned, how often within 300 ms back again, and how long it was "
        + "hidden, and then each flicker: the event that turned the toolbar back at once. --set changes the parameter in "
        + "the policy given last.",
      subjects,
      "With --json each row is an object, then each policy's tally. A row's event is told by file and line, or by client, "
        + "session and number. Times and spans are microseconds.",
    ],
    examples: [
      Example(arguments: "compare --policy classic --policy safari article.ndjson", meaning: "The two rules."),
      Example(
        arguments: "compare --policy safari --policy safari --set hideDistance=40 *.ndjson",
        meaning: "What hiding later would change."),
      Example(
        arguments: "compare --policy safari --policy chrome --expect-same bug.ndjson",
        meaning: "A regression test: status 1 when they differ."),
      Example(
        arguments: "compare --policy safari --policy chrome reader/main",
        meaning: "The same of what the reader's window has just done."),
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
