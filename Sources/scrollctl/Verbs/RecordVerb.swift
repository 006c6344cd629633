import Platform
import ScrollClient
import ScrollJSON
import ScrollModel

extension Verb {
  private static let client = Option(
    name: "client", value: "NAME", summary: "Use this client name instead of the recording's")
  private static let session = Option(
    name: "session", value: "ID", summary: "Continue this session, or start it: 32 hexadecimal digits")
  private static let speed = Option(
    name: "speed", value: "N", summary: "Replay N times as fast as recorded [without pauses]")

  static let record = Verb(
    name: "record", group: .observe,
    arguments: [Argument(name: "FILE…|-", isRequired: false, repeats: true)],
    options: [client, session, speed],
    summary: "Send recordings to the daemon, as a client with a scroll view would",
    details: [
      "A recording has one JSON object per line: an open, then events, then a close. Requests and responses are skipped. "
        + "“-”, or no FILE, is standard input, whose events are sent as they arrive.",
      "A file is checked completely before anything is sent. On standard input, a bad line ends the session: events that "
        + "were sent before stay, events that were read together with the bad line are not sent. An error message names "
        + "the file, line and field.",
      "If the connection is lost, the message describes how to continue: with --session ID, events of a FILE that are "
        + "already stored are skipped, while events from standard input are appended. Ctrl-C while waiting closes the "
        + "session with the events that were sent.",
    ],
    examples: [
      Example(arguments: "record article.ndjson", meaning: "Send everything at once."),
      Example(
        arguments: "record --client test/1 --speed 2 article.ndjson",
        meaning: "Send it as another client, twice as fast as recorded."),
      Example(arguments: "record - < article.ndjson", meaning: "Send standard input."),
    ]
  ) { invocation in
    // “record” alone on a terminal is more likely a mistake than the start of typing events.
    if invocation.command.arguments.isEmpty, BorrowedDescriptor.standardInput.isTerminal {
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
          "FILE", text: files[1], expected: "the only file, because --session names one session",
          verb: invocation.verbName)
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
      if sent.events == 0 {
        try invocation.output.line(
          "\(visible(sent.client)): opened and closed session \(sent.session), which has no events")
        return try invocation.output.flush()
      }
      let events = sent.events == 1 ? "1 event" : "\(sent.events) events"
      let position = sent.position.map { ", the last at position \($0)" } ?? ""
      try invocation.output.line("\(visible(sent.client)): \(events) stored as session \(sent.session)\(position)")
    }
    try invocation.output.flush()
  }
}
