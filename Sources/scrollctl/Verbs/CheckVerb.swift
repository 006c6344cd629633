import JSON
import ScrollAnalysis

extension Verb {
  static let check = Verb(
    name: "check", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", repeats: true)],
    options: SessionSources.options,
    summary: "List what looks wrong in recordings, and what the feeder should send",
    details: [
      "A feeder that sends wrong values gets wrong toolbars. scrollctl looks for times in another unit than microseconds or "
        + "from a clock that runs backwards, missing sizes, offsets far outside the content or outside it for long, translations that add up over drags, run against the content, "
        + "start again with each event or go on after the drag, layouts that report the user's scrolling, content that "
        + "shifts although the scroll has no source, and pushes at the bottom that can't count: without a translation, with "
        + "the wrong sign, or without a scrollEnd before.",
      subjects,
      "Each line has the first event that shows a problem, the number of further ones, what would be right, and the section "
        + "of Feeding.md that describes it. A file has the path that you gave. With --json, each line is an object.",
      "What was found is a guess from what the events say about each other, and a session in which nothing looks wrong may "
        + "still be wrong: scrollctl does not see the screen.",
      "The exit status is 1 if something was found, and 0 if nothing was. It is also 1 if an argument could not be read: "
        + "then standard error names it, and scrollctl checks the others all the same.",
    ],
    examples: [
      Example(arguments: "check article.ndjson", meaning: "Check a recording before you chase a flickering toolbar."),
      Example(arguments: "check reader/main", meaning: "Check what the reader's window has just sent."),
    ]
  ) { invocation in
    let arguments = invocation.command.arguments
    let (sessions, isComplete) = try SessionLoader(invocation, reading: arguments).load(arguments)
    var status = isComplete ? ExitStatus.done : .failed
    let sizes = Dictionary(grouping: sessions.compactMap(\.path)) { $0 }.mapValues(\.count)
    let progress = ProgressBar("check", of: Int64(sessions.count), "sessions")
    for (index, session) in sessions.enumerated() {
      progress.updateNowAndThen(Int64(index))
      progress.clearForOutput()
      let isOnly = session.path.map { sizes[$0] == 1 } ?? true
      if try !check(session, isOnly: isOnly, invocation) { status = .failed }
    }
    return status
  }

  /// Prints what looks wrong in a session. Returns whether nothing does.
  ///
  /// - Parameter isOnly: Whether its file has no other session.
  private static func check(_ session: LoadedSession, isOnly: Bool, _ invocation: Invocation) throws -> Bool {
    let name = session.path ?? session.name
    var checker = FeedChecker()
    for (event, number) in zip(session.events, session.numbers) { checker.add(event, number: number) }
    let findings = checker.findings
    for finding in findings {
      if invocation.wantsJSON {
        try invocation.output.json(FindingJSON(finding: finding, session: session))
      } else {
        let place = "\(name)\(session.log == nil ? ":" : "#")\(finding.number)"
        try invocation.output.lines(invocation.style.wrapped(visible("\(place): \(finding.text)")))
      }
    }
    if findings.isEmpty, !invocation.wantsJSON {
      let events = session.events.count
      // A finding has a line of the file. Without any, several sessions of a file must be told apart.
      let begin = isOnly ? "" : session.line.map { ":\($0)" } ?? ""
      try invocation.output.lines(
        invocation.style.wrapped(
          visible("\(name)\(begin): nothing looks wrong in \(events) \(events == 1 ? "event" : "events")")))
    }
    return findings.isEmpty
  }
}

/// The JSON form of a finding.
private struct FindingJSON: JSONWritable {
  var finding: Finding
  var session: LoadedSession

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let path = session.path {
      writer.member("file", path)
      writer.member("line", finding.number)
    } else if let event = session.numbers.firstIndex(of: finding.number) {
      session.writePlace(of: event, to: &writer)
    }
    writer.member("problem", "\(finding.problem.name)")
    writer.member("count", finding.count)
    writer.member("observation", finding.observation)
    writer.member("advice", finding.problem.advice)
    writer.member("section", finding.problem.section)
    writer.endObject()
  }
}
