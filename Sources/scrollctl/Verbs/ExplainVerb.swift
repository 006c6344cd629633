import ScrollAnalysis
import ScrollClient
import ScrollModel

extension Verb {
  static let explain = Verb(
    name: "explain", group: .observe,
    arguments: [Argument(name: "CLIENT|SESSION|FILE")],
    options: [.at, .uid, .policy, .set, .config],
    summary: "Explain why the toolbar is shown or hidden, and what would change that",
    details: [
      "For a CLIENT, scrollctl folds the log of its newest session up to WHEN, which is a position of the log or a time; "
        + "for a SESSION, the session with this id. For a FILE, which is a recording, it needs no daemon, and WHEN is a "
        + "line of the file. An existing file counts as a FILE, and “-” as standard input.",
      "The explanation names the event that turned the toolbar, the movement since then that did not count, and what would "
        + "turn the toolbar now. Each advice has been tried on a copy of the state.",
      "The policy is the session's own, or the default policy for a FILE. With --policy or --set, scrollctl explains what "
        + "another policy would do.",
    ],
    examples: [
      Example(
        arguments: "explain reader/main", meaning: "Explain why the reader's toolbar is hidden, and what would show it."
      ),
      Example(
        arguments: "explain reader/main --set hideDistance=40",
        meaning: "Explain what would happen if its policy hid the toolbar after 40 points."),
      Example(
        arguments: "explain --at 370 article.ndjson", meaning: "Explain the state after line 370 of a recording."),
    ]
  ) { invocation in
    let choice = try PolicyChoice(invocation.command)
    let explanation: Explanation
    var numbered = "Event"
    switch Subject(invocation.command.arguments[0]) {
    case .file(let path):
      numbered = "Line"
      explanation = try explain(file: path, choice, invocation)
    case .client(let client): explanation = try explain(client: client, choice, invocation)
    case .session(let session):
      let moment = try invocation.moment()
      let loaded = try SessionLoader.load(
        session, of: invocation.command.uid(), from: invocation.connect())
      explanation = try explainer(loaded, at: moment, choice, invocation).explanation
    }
    if invocation.wantsJSON {
      try invocation.output.json(ExplanationJSON(explanation: explanation))
    } else {
      try invocation.output.lines(explanation.lines(numbered: numbered).map(visible))
    }
    return .done
  }

  private static func explain(file: String, _ choice: PolicyChoice, _ invocation: Invocation) throws -> Explanation {
    let last = try invocation.command.integer(.at, in: 1...Int64.max)
    let policy = try choice.policy(invocation.command) { .safari }
    let source = try RecordingSource(file)
    var explainer = Explainer(policy)
    var hasEvents = false
    while let line = try source.next() {
      if case .event = line { hasEvents = true }
      if let last, source.line > last { break }
      if case .open = line { explainer = Explainer(policy) }
      if case .event(let event) = line { explainer.add(event, number: Int64(source.line)) }
    }
    if let last, source.line < last { throw Failure("\(source.name) has only \(source.line) lines") }
    // There may be no event until the line of --at. A file without any is a mistake.
    guard hasEvents || source.line > last ?? .max else { throw Failure("\(source.name) has no events") }
    return explainer.explanation
  }

  private static func explain(
    client: String, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explanation {
    let (user, moment) = (try invocation.command.uid(), try invocation.moment())
    let daemon = try invocation.connect()
    let state = try about(client, at: moment) { try daemon.state(of: client, user: user, at: moment) }
    let session = try SessionLoader.load(state.session, of: state.user, from: daemon)
    let explainer = try explainer(session, at: .position(state.position), choice, invocation)
    let isOwn = !invocation.command.has(.policy) && !invocation.command.has(.set)
    if isOwn, WatchedView(explainer.state) != state {
      throw Failure(
        "scrollctl and the daemon disagree about the session \(state.session)",
        hint: "Compare their versions with “scrollctl --version” and “scrollctl statistics”.")
    }
    return explainer.explanation
  }

  /// Creates an explainer that has read a logged session up to a moment.
  private static func explainer(
    _ session: LoadedSession, at moment: LogMoment?, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explainer {
    var explainer = Explainer(try choice.policy(invocation.command, own: session.standardPolicy))
    for index in session.events.indices where session.had(index, by: moment) {
      explainer.add(session.events[index], number: session.numbers[index])
    }
    return explainer
  }
}

extension WatchedView {
  /// Whether a state differs from what the daemon reports.
  fileprivate static func != (view: WatchedView, report: StateReport) -> Bool {
    FoldState.Field.watched.contains { view[$0] != report[$0] }
  }
}
