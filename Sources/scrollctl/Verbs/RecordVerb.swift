// scrollctl record: recordings into the daemon.

import Glibc
import ScrollClient
import ScrollJSON
import ScrollModel

extension Verb {
  private static let client = Option(name: "client", value: "NAME", summary: "The client, whatever the recording says")
  private static let session = Option(
    name: "session", value: "ID", summary: "Go on with this session, or begin it: 32 hexadecimal digits")
  private static let speed = Option(
    name: "speed", value: "N", summary: "In the recording's own time, N times as fast; without it at once")

  static let record = Verb(
    name: "record", group: .observe,
    arguments: [Argument(name: "FILE…|-", isRequired: false, repeats: true)],
    options: [client, session, speed],
    summary: "Send recordings to the daemon, as a client with a scroll view would",
    details: [
      "A recording is one JSON object a line: an open, then events, then a close; requests and responses are passed over. "
        + "“-”, or no FILE at all, is standard input, whose events are sent as they come.",
      "A file is checked as a whole before anything is sent. On standard input a bad line ends the session: what had "
        + "been sent before stays, the events read together with the bad line are not sent. Either way the message names "
        + "file, line and field.",
      "When the daemon goes away the message says how to go on: with --session ID the events of a FILE that are stored "
        + "already are passed over, while what comes on standard input goes on behind them. Ctrl-C while it waits closes the "
        + "session with what has been sent.",
    ],
    examples: [
      Example(arguments: "record article.ndjson", meaning: "All of it at once."),
      Example(
        arguments: "record --client test/1 --speed 2 article.ndjson", meaning: "As another client, twice as fast."),
      Example(arguments: "record - < article.ndjson", meaning: "From standard input."),
    ]
  ) { invocation in
    // Who types “record” and nothing else has not meant to type the events, too.
    if invocation.command.arguments.isEmpty, isatty(STDIN_FILENO) != 0 {
      throw UsageError.missingArgument("FILE, or - for standard input", verb: invocation.verbName)
    }
    let files = invocation.command.arguments.isEmpty ? ["-"] : invocation.command.arguments
    var plan = RecordingPlan()
    plan.client = invocation.command.text(client)
    plan.speed = try invocation.command.positive(speed)
    if let name = plan.client {
      do throws(EventProblem) {
        try ClientName.validate(name)
      } catch {
        throw UsageError.badValue(option: client.name, text: name, expected: "a client's name, but it \(error.reason)")
      }
    }
    if let text = invocation.command.text(session) {
      guard let id = SessionID(text) else {
        throw UsageError.badValue(option: session.name, text: text, expected: "32 hexadecimal digits")
      }
      guard files.count == 1 else {
        throw UsageError.badArgument(
          "FILE", text: files[1], expected: "the only one, as --session is one session", verb: invocation.verbName)
      }
      plan.session = id
    }
    for file in files where RecordingPlan.isRegular(file) { try plan.check(file) }
    let daemon = try invocation.connect()
    for file in files {
      try plan.send(file, to: daemon) { sent in
        try report(sent, invocation)
      }
    }
    return .done
  }

  private static func report(_ sent: SentSession, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.json(sent)
    } else {
      let events = sent.events == 1 ? "1 event" : "\(sent.events) events"
      let position = sent.position.map { ", the last at position \($0)" } ?? ""
      try invocation.output.line("\(visible(sent.client)): \(events) stored as session \(sent.session)\(position)")
    }
    try invocation.output.flush()
  }
}
