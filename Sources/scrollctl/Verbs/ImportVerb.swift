// scrollctl import: recordings into the log, as they were.

import ScrollClient
import ScrollModel

extension Verb {
  private static let again = Option(
    name: "again", summary: "As new sessions with ids of their own, though they may be in the log already")

  static let `import` = Verb(
    name: "import", group: .recordings,
    arguments: [Argument(name: "FILE…|-", repeats: true)], options: [again],
    summary: "Bring recordings into the daemon's log as they were",
    details: [
      "Unlike “record”, which plays a recording as a client would, this keeps its times, the reason for which it was closed, "
        + "and the policy that its open line tells: it folds to the same as where it was exported. Without one it gets the "
        + "policy that the client has here. The sessions are yours; the daemon has to count you as one of its managers.",
      "A session keeps its id; one without gets one by its content. So an import can be done again, after an interruption, "
        + "too: events that are stored already and sessions that are complete are passed over.",
      "Each file is checked as a whole before anything of it is stored. Requests and responses are passed over: they name "
        + "positions of the log that they come from.",
      "A session without a close line, as “export” writes one that is still open, comes in as far as the file goes and is "
        + "closed at its last event. What it gets at its source later can't be added to it.",
      "A session that can't come in is left out and told, the others come in, and the exit status is 1. That is one that is "
        + "closed here with another number of events, one that has been forgotten or removed here, and one whose client has "
        + "another session open.",
    ],
    examples: [
      Example(arguments: "import recordings/article.ndjson", meaning: "What “export” wrote, or anything that records."),
      Example(arguments: "import - < all.ndjson", meaning: "From standard input, several sessions behind each other."),
    ]
  ) { invocation in
    let daemon = try invocation.connect()
    let givesNewIDs = invocation.command.has(again)
    var status = ExitStatus.done
    for file in invocation.command.arguments {
      let spooled = file == "-" ? try SpooledInput() : nil
      let plan = try ImportPlan(
        spooled?.path ?? file, name: spooled == nil ? file : "standard input", givesNewIDs: givesNewIDs)
      try plan.send(to: daemon) { outcome in
        try report(outcome, invocation)
        try invocation.output.flush()
        if case .leftOut(let failure) = outcome {
          Program.warn(failure.message, hint: failure.hint)
          status = .failed
        }
      }
      withExtendedLifetime(spooled) {}
    }
    return status
  }

  private static func report(_ outcome: ImportPlan.Outcome, _ invocation: Invocation) throws {
    switch outcome {
    case .stored(let sent):
      if invocation.wantsJSON {
        try invocation.output.json(sent)
      } else {
        let events = sent.events == 1 ? "1 event" : "\(sent.events) events"
        try invocation.output.line("\(visible(sent.client)): \(events) imported as session \(sent.session)")
      }
    case .known(let client, let id):
      if invocation.wantsJSON {
        try invocation.output.object {
          $0.member("client", client)
          $0.member("session", id)
          $0.member("known", true)
        }
      } else {
        try invocation.output.line("\(visible(client)): session \(id) is in the log already")
      }
    case .leftOut: break
    }
  }
}
