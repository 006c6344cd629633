import JSON
import ScrollAnalysis

extension Verb {
  static let check = Verb(
    name: "check", group: .recordings,
    arguments: [Argument(name: "FILE|CLIENT|SESSION", repeats: true)],
    options: [.uid],
    summary: "List what looks wrong in recordings, and what the feeder should send",
    details: [
      "A feeder that sends wrong values gets wrong toolbars. scrollctl looks for times in another unit than microseconds or "
        + "from a clock that runs backwards, missing sizes, translations that add up over drags or run against the content, "
        + "layouts that report the user's scrolling, content that shifts although no event has a source, and pushes at the "
        + "bottom without a translation.",
      subjects,
      "Each line has the first event that shows a problem, the number of further ones, what would be right, and the section "
        + "of Feeding.md that describes it. With --json, each line is an object. The exit status is 1 if something was "
        + "found, and 0 if nothing was. What was found is a guess from what the events say about each other.",
    ],
    examples: [
      Example(arguments: "check article.ndjson", meaning: "Check a recording before you chase a flickering toolbar."),
      Example(arguments: "check reader/main", meaning: "Check what the reader's window has just sent."),
    ]
  ) { invocation in
    let sessions = try invocation.command.arguments.flatMap(SessionLoader(invocation).load)
    var isClean = true
    for session in sessions {
      var checker = FeedChecker()
      for (event, number) in zip(session.events, session.numbers) { checker.add(event, number: number) }
      isClean = isClean && checker.findings.isEmpty
      for finding in checker.findings {
        if invocation.wantsJSON {
          try invocation.output.json(FindingJSON(finding: finding, session: session))
        } else {
          try invocation.output.line(visible("\(session.label(number: finding.number)): \(finding.text)"))
        }
      }
      if checker.findings.isEmpty, !invocation.wantsJSON {
        let events = session.events.count
        try invocation.output.line(
          visible("\(session.name): nothing looks wrong in \(events) \(events == 1 ? "event" : "events")"))
      }
    }
    return isClean ? .done : .failed
  }
}

/// The JSON form of a finding.
private struct FindingJSON: JSONWritable {
  var finding: Finding
  var session: LoadedSession

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let event = session.numbers.firstIndex(of: finding.number) { session.writePlace(of: event, to: &writer) }
    writer.member("problem", "\(finding.problem.name)")
    writer.member("count", finding.count)
    writer.member("observation", finding.observation)
    writer.member("advice", finding.problem.advice)
    writer.member("section", finding.problem.section)
    writer.endObject()
  }
}
