import Platform
import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let reported = Option(
    name: "policy", value: "NAME", repeats: true,
    summary: "Show what this policy does; for a single session, repeatable")
  private static let output = Option(
    name: "output", short: "o", value: "FILE", summary: "Write the page to this file instead of standard output")
  private static let force = Option(name: "force", summary: "Replace an existing FILE")

  static let reportPage = Verb(
    name: "report", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", isRequired: false, repeats: true)],
    options: [reported, .set, .config, output, force] + SessionSources.options,
    summary: "Make a page that shows one session, or how far many were read",
    details: [
      "The page is one HTML file that asks the network for nothing, for a browser or to attach to a ticket. For one session "
        + "it shows the content offset over time, where the time went, what each policy did and why, and each flicker, and "
        + "lets you go to any event. For several sessions it shows how far they got, where the time went, and a table with a "
        + "picture of each.",
      SessionSources.details,
      "FILE of --output appears when the page is complete. A program that is killed leaves FILE.PID.tmp, which you can "
        + "delete.",
      "Without --policy, a FILE is folded with the default policy and a logged session with its own. --set sets the "
        + "parameter in the last policy. A page of several sessions shows all of them under one policy, if you name one; "
        + "“compare” compares several policies over many sessions.",
    ],
    examples: [
      Example(
        arguments: "report --policy safari --policy classic -o bug.html bug.ndjson",
        meaning: "Show a recording under two policies."),
      Example(
        arguments: "report -o week.html --since '1 week ago'",
        meaning: "Show how far people read in the sessions that the daemon received this week."),
    ]
  ) { invocation in
    if invocation.wantsJSON { throw UsageError.noJSON(verb: invocation.verbName, instead: "reading --json") }
    let command = invocation.command
    let choice = try PolicyChoice(command)
    let assignments = command.texts(.set)
    let policies = try choice.policies(named: command.texts(reported), set: assignments)
    let path = command.text(output)
    if path == nil, invocation.style.isTerminal {
      throw UsageError.missingOption("--output FILE, or standard output to a file", verb: invocation.verbName)
    }
    if let path, path != "-" { try ReplacedFile.refuse(path, amongInputs: command.arguments) }
    let interruption = Interruption()
    defer { interruption.release() }
    let file = try path.flatMap { $0 == "-" ? nil : try ReplacedFile($0, replaces: command.has(force)) }
    // Before the signal that has interrupted this ends the program.
    defer { file?.discard() }
    let (sessions, leftOut) = try SessionSources(invocation).read(check: interruption.check) {
      ReportSessions(policies: policies) { try PolicyChoice.variant(of: $0, assignments) }
    }
    if sessions.count > 1, policies.count > 1 {
      throw Failure(
        "a page of several sessions shows one policy, and \(policies.count) are given",
        hint:
          "Make one page for each policy, or use “scrollctl compare” to compare them over all \(sessions.count) sessions."
      )
    }
    let html = try sessions.html()
    if let file {
      try file.append(Array(html.utf8))
      try file.commit()
    } else {
      try invocation.output.raw(html)
    }
    if let text = leftOut.description { Program.warn(text) }
    if let path, file != nil {
      let count = sessions.count == 1 ? "1 session" : "\(sessions.count) sessions"
      try invocation.output.line("\(visible(path)): \(count)")
    }
    return leftOut.isLoss ? .failed : .done
  }
}
