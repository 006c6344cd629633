// scrollctl explain: why the toolbar is as it is.

import Glibc
import ScrollAnalysis
import ScrollClient
import ScrollModel

extension Verb {
  static let explain = Verb(
    name: "explain", group: .observe,
    arguments: [Argument(name: "CLIENT|FILE")],
    options: [.at, .uid, .policy, .set],
    summary: "Tell why the toolbar is as it is, and what would turn it",
    details: [
      "With a CLIENT the daemon's log of its newest session is folded up to WHEN: a position of the log, or a time as "
        + "people write it. With a FILE, a recording, no daemon is needed, and WHEN is a line of it. What is a file that is "
        + "there is taken as a FILE, and “-” as standard input.",
      "The policy is the session's, or the default one for a FILE. One that the daemon's configuration has made must be "
        + "told with --policy and --set.",
    ],
    examples: [
      Example(arguments: "explain reader/main", meaning: "Why is its toolbar hidden, and what would show it?"),
      Example(arguments: "explain --at 370 article.ndjson", meaning: "The same after line 370 of a recording."),
    ]
  ) { invocation in
    let subject = invocation.command.arguments[0]
    let explanation: Explanation
    if isFile(subject) {
      explanation = try explain(file: subject, invocation)
    } else {
      explanation = try explain(client: subject, invocation)
    }
    if invocation.wantsJSON {
      try invocation.output.json(ExplanationJSON(explanation: explanation))
    } else {
      try invocation.output.lines(explanation.lines().map(visible))
    }
    return .done
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return path == "-" || (stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR)
  }

  private static func explain(file: String, _ invocation: Invocation) throws -> Explanation {
    let last = try invocation.command.integer(.at, in: 1...Int64.max)
    let policy = try PolicyChoice.policy(invocation.command)
    let source = try RecordingSource(file)
    var explainer = Explainer(policy)
    while let line = try source.next() {
      if let last, source.line > last { break }
      if case .open = line { explainer = Explainer(policy) }
      if case .event(let event) = line { explainer.add(event, number: Int64(source.line)) }
    }
    return explainer.explanation
  }

  private static func explain(client: String, _ invocation: Invocation) throws -> Explanation {
    let (user, moment) = (try invocation.command.uid(), try invocation.moment())
    let daemon = try invocation.connect()
    let state = try daemon.state(of: client, user: user, at: moment)
    let policy = try sessionPolicy(state, invocation)
    var query = LogQuery()
    query.session = state.session
    let entries = try daemon.read(query)
    var explainer = Explainer(policy)
    while case .reply(let entry) = try entries.next() {
      guard let entry, entry.position <= state.position else { continue }
      if case .event(let event) = entry.record { explainer.add(event, number: entry.number ?? 0) }
    }
    guard WatchedView(explainer.state) == state else {
      throw Failure(
        "the policy \(policy.name) as it is known here makes something else of this session than the daemon did",
        hint: "Its parameters are others there, or the log no longer holds all of the session.\n"
          + "Give the parameters with --policy NAME --set KEY=VALUE.")
    }
    return explainer.explanation
  }

  /// The policy that made a session's state, as far as it is known here.
  private static func sessionPolicy(_ state: StateReport, _ invocation: Invocation) throws -> Policy {
    if invocation.command.has(.policy) || invocation.command.has(.set) {
      return try PolicyChoice.policy(invocation.command)
    }
    guard let policy = Policy.preset(named: state.policy) else {
      throw Failure(
        "the session's policy “\(state.policy)” is one that the daemon's configuration has made",
        hint: "Say what it is: --policy NAME --set KEY=VALUE, as in its section [Policy \(state.policy)].")
    }
    return policy
  }
}

extension WatchedView {
  /// Whether the daemon reports the same of a state.
  fileprivate static func == (view: WatchedView, report: StateReport) -> Bool {
    view.toolbar == report.toolbar && view.trigger == report.trigger && view.reachBottom == report.reachBottom
      && view.bottomLatch == report.bottomLatch && view.topButton == report.topButton
      && view.pageIndex.map { Int64($0) } == report.pageIndex && view.pageCount.map { Int64($0) } == report.pageCount
  }
}
