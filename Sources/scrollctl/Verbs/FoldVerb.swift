// scrollctl fold: what a policy makes of a recording or a logged session.

import ScrollJSON
import ScrollModel

extension Verb {
  static let fold = Verb(
    name: "fold", group: .recordings,
    arguments: [Argument(name: "FILE|CLIENT|SESSION", repeats: true)],
    options: [.policy, .set, .config, .uid],
    summary: "Print what a policy makes of recordings, one line a transition",
    details: [
      "A transition is a change of what the toolbar, its trigger, the bottom flags, the button to the top or the pager "
        + "show. Each line has the event's line in the file, its time since the first event, what changed, and the "
        + "clause of the rule that decided, with its numbers. With --json it is the transition's object.",
      subjects,
      "The policy is the default one for a FILE, whatever was in force when it was made, and a logged session's own, "
        + "unless --policy says otherwise. Events of a logged session are counted as in the session; with --json their "
        + "positions are told.",
    ],
    examples: [
      Example(arguments: "fold article.ndjson", meaning: "What the default policy makes of it."),
      Example(
        arguments: "fold --policy safari --set hideDistance=40 article.ndjson",
        meaning: "What it would be if the toolbar hid after 40 points."),
      Example(
        arguments: "fold --policy readers --config /etc/scrolld/scrolld.conf reader/main",
        meaning: "What another policy of the daemon's would make of the reader's session."),
    ]
  ) { invocation in
    let choice = try PolicyChoice(invocation.command)
    let subjects = invocation.command.arguments
    for (index, subject) in subjects.enumerated() {
      if subjects.count > 1, !invocation.wantsJSON {
        if index > 0 { try invocation.output.line("") }
        try invocation.output.line(invocation.style.bold("\(visible(subject)):"))
      }
      if case .file(let path) = Subject(subject) {
        try fold(path, choice.policy(invocation.command) { .safari }, invocation)
      } else {
        for session in try SessionLoader(invocation).load(subject) {
          try fold(session, choice.policy(invocation.command, own: session.standardPolicy), invocation)
        }
      }
    }
    return .done
  }

  /// What FILE, CLIENT and SESSION are, for the help of the verbs that take them.
  static let subjects =
    "FILE is a recording: one JSON object a line; “-” is standard input. CLIENT stands for its newest session in the "
    + "daemon's log, open or closed, SESSION for the one of this id. What is a file that is there is taken as one."

  private static func fold(_ file: String, _ policy: Policy, _ invocation: Invocation) throws {
    let source = try RecordingSource(file)
    var fold = RecordingFold(policy)
    while let line = try source.next() {
      if let step = fold.take(line) {
        if invocation.wantsJSON {
          try invocation.output.json(
            FoldedTransition(state: fold.state, identity: fold.identity, step: step, line: source.line))
        } else {
          try invocation.output.line(text(fold, step, Int64(source.line), invocation.style))
        }
      }
      // Who types events by hand wants to see at once what they do.
      if !source.isReady { try invocation.output.flush() }
    }
  }

  private static func fold(_ session: LoadedSession, _ policy: Policy, _ invocation: Invocation) throws {
    var fold = RecordingFold(policy)
    for (index, event) in session.events.enumerated() {
      guard let step = fold.take(event) else { continue }
      if invocation.wantsJSON {
        let identity = StateIdentity(
          client: session.log?.client, user: session.log?.user, session: session.log?.session,
          position: session.log?.positions[index], policy: policy.name)
        try invocation.output.json(FoldedTransition(state: fold.state, identity: identity, step: step))
      } else {
        try invocation.output.line(text(fold, step, session.numbers[index], invocation.style))
      }
    }
  }

  private static func text(_ fold: RecordingFold, _ step: Policy.Step, _ line: Int64, _ style: Style) -> String {
    let number = String(line)
    let time = TimeText.sinceStart((fold.state.time ?? 0) - (fold.firstTime ?? 0))
    let changes = WatchedValues(fold.state).text(changed: step.changed.names, style: style)
    let head = String(repeating: " ", count: max(0, 6 - number.count)) + number
    let reason = step.reason.map { style.dim("  — \($0)") } ?? ""
    return head + "  " + String(repeating: " ", count: max(0, 11 - time.count)) + time + "  " + changes + reason
  }
}
