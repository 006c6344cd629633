// scrollctl explain: why the toolbar is as it is.

import ScrollAnalysis
import ScrollClient
import ScrollModel

extension Verb {
  static let explain = Verb(
    name: "explain", group: .observe,
    arguments: [Argument(name: "CLIENT|SESSION|FILE")],
    options: [.at, .uid, .policy, .set, .config],
    summary: "Tell why the toolbar is as it is, and what would turn it",
    details: [
      "With a CLIENT the daemon's log of its newest session is folded up to WHEN: a position of the log, or a time as "
        + "people write it; with a SESSION the session of this id. With a FILE, a recording, no daemon is needed, and WHEN "
        + "is a line of it. What is a file that is there is taken as a FILE, and “-” as standard input.",
      "The policy is the one with which the session was opened, or the default one for a FILE. With --policy or --set it "
        + "is told what the toolbar would be by another one, and why.",
    ],
    examples: [
      Example(arguments: "explain reader/main", meaning: "Why is its toolbar hidden, and what would show it?"),
      Example(
        arguments: "explain reader/main --set hideDistance=40",
        meaning: "What if its policy hid the toolbar after 40 points?"),
      Example(arguments: "explain --at 370 article.ndjson", meaning: "The same after line 370 of a recording."),
    ]
  ) { invocation in
    let choice = try PolicyChoice(invocation.command)
    let explanation: Explanation
    switch Subject(invocation.command.arguments[0]) {
    case .file(let path): explanation = try explain(file: path, choice, invocation)
    case .client(let client): explanation = try explain(client: client, choice, invocation)
    case .session(let session):
      let moment = try invocation.moment()
      let loaded = try SessionLoader.load(session, from: invocation.connect())
      explanation = try explainer(loaded, at: moment, choice, invocation).explanation
    }
    if invocation.wantsJSON {
      try invocation.output.json(ExplanationJSON(explanation: explanation))
    } else {
      try invocation.output.lines(explanation.lines().map(visible))
    }
    return .done
  }

  private static func explain(file: String, _ choice: PolicyChoice, _ invocation: Invocation) throws -> Explanation {
    let last = try invocation.command.integer(.at, in: 1...Int64.max)
    let policy = try choice.policy(invocation.command) { .safari }
    let source = try RecordingSource(file)
    var explainer = Explainer(policy)
    while let line = try source.next() {
      if let last, source.line > last { break }
      if case .open = line { explainer = Explainer(policy) }
      if case .event(let event) = line { explainer.add(event, number: Int64(source.line)) }
    }
    return explainer.explanation
  }

  private static func explain(
    client: String, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explanation {
    let (user, moment) = (try invocation.command.uid(), try invocation.moment())
    let daemon = try invocation.connect()
    let state = try about(client, at: moment) { try daemon.state(of: client, user: user, at: moment) }
    let session = try SessionLoader.load(state.session, from: daemon)
    let explainer = try explainer(session, at: .position(state.position), choice, invocation)
    let isOwn = !invocation.command.has(.policy) && !invocation.command.has(.set)
    if isOwn, WatchedView(explainer.state) != state {
      throw Failure(
        "this program makes something else of the session \(state.session) than the daemon did",
        hint: "Are they of the same version? “scrollctl --version” and “scrollctl statistics” tell.")
    }
    return explainer.explanation
  }

  /// Has a logged session explained up to a moment.
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
  /// Whether the daemon reports something else of a state.
  fileprivate static func != (view: WatchedView, report: StateReport) -> Bool {
    !(view.toolbar == report.toolbar && view.trigger == report.trigger && view.reachBottom == report.reachBottom
      && view.bottomLatch == report.bottomLatch && view.topButton == report.topButton
      && view.pageIndex.map { Int64($0) } == report.pageIndex && view.pageCount.map { Int64($0) } == report.pageCount)
  }
}
