// scrollctl fold: what a policy makes of a recording.

import ScrollJSON
import ScrollModel

extension Verb {
  static let fold = Verb(
    name: "fold", group: .recordings,
    arguments: [Argument(name: "FILE", repeats: true)],
    options: [.policy, .set],
    summary: "Print what a policy makes of recordings, one line a transition",
    details: [
      "A transition is a change of what the toolbar, its trigger, the bottom flags, the button to the top or the pager "
        + "show. Each line has the event's line in the file, its time since the first event, what changed, and the "
        + "clause of the rule that decided, with its numbers. With --json it is the transition's object.",
      "FILE is a recording: one JSON object a line. “-” is standard input.",
    ],
    examples: [
      Example(arguments: "fold article.ndjson", meaning: "What the default policy makes of it."),
      Example(
        arguments: "fold --policy safari --set hideDistance=40 article.ndjson",
        meaning: "What it would be if the toolbar hid after 40 points."),
    ]
  ) { invocation in
    let policy = try PolicyChoice.policy(invocation.command)
    let files = invocation.command.arguments
    for (index, file) in files.enumerated() {
      if files.count > 1, !invocation.wantsJSON {
        if index > 0 { try invocation.output.line("") }
        try invocation.output.line(invocation.style.bold("\(visible(file)):"))
      }
      try fold(file, policy, invocation)
    }
    return .done
  }

  private static func fold(_ file: String, _ policy: Policy, _ invocation: Invocation) throws {
    let source = try RecordingSource(file)
    var fold = RecordingFold(policy)
    while let line = try source.next() {
      guard let step = fold.take(line) else { continue }
      if invocation.wantsJSON {
        try invocation.output.json(FoldedTransition(fold: fold, step: step, line: source.line))
      } else {
        try invocation.output.line(text(fold, step, source.line, invocation.style))
      }
      // Who types events by hand wants to see at once what they do.
      if !source.isReady { try invocation.output.flush() }
    }
  }

  private static func text(_ fold: RecordingFold, _ step: Policy.Step, _ line: Int, _ style: Style) -> String {
    let number = String(line)
    let time = TimeText.sinceStart((fold.state.time ?? 0) - (fold.firstTime ?? 0))
    let changes = WatchedValues(fold.state).text(changed: step.changed.names, style: style)
    let head = String(repeating: " ", count: max(0, 6 - number.count)) + number
    let reason = step.reason.map { style.dim("  — \($0)") } ?? ""
    return head + "  " + String(repeating: " ", count: max(0, 11 - time.count)) + time + "  " + changes + reason
  }
}
