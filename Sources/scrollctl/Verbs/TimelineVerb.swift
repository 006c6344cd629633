import Platform
import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let bands = Option(
    name: "policy", value: "NAME", repeats: true, summary: "Draw a band for this policy; repeatable")
  private static let width = Option(name: "width", value: "N", summary: "The width in columns, or in points for --svg")
  private static let from = Option(name: "from", value: "SPAN", summary: "Draw from this long after the first event")
  private static let to = Option(name: "to", value: "SPAN", summary: "Draw up to this long after the first event")
  private static let svg = Option(
    name: "svg", value: "OUT", summary: "Write an SVG file; - is standard output")
  private static let force = Option(name: "force", summary: "Replace an existing OUT")

  static let timeline = Verb(
    name: "timeline", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", repeats: true)],
    options: [bands, .set, .config, from, to, width, svg, force] + SessionSources.options,
    summary: "Draw a session over time: the content offset, and what the toolbar did",
    details: [
      "The curve is the content offset. Below it, a band for each policy shows when its toolbar was hidden. --set sets the "
        + "parameter in the last policy. Pages count from 1.",
      subjects,
      "Without --policy, a FILE is drawn with the default policy and a logged session with its own.",
      "Each session gets a drawing; --svg draws the first. An existing OUT is refused without --force.",
    ],
    examples: [
      Example(arguments: "timeline article.ndjson", meaning: "Draw on the terminal, in its full width."),
      Example(
        arguments: "timeline --policy classic --policy safari --svg article.svg article.ndjson",
        meaning: "Draw a picture with both rules."),
      Example(
        arguments: "timeline --from 3s --to 4500ms article.ndjson",
        meaning: "Look at a second and a half, by the seconds of the time axis."),
      Example(arguments: "timeline reader/main", meaning: "Draw what the reader's window did until now."),
    ]
  ) { invocation in
    if invocation.wantsJSON { throw UsageError.noJSON(verb: invocation.verbName, instead: "fold --json") }
    let names = invocation.command.texts(bands)
    let choice = try PolicyChoice(invocation.command)
    let named = try choice.policies(named: names, set: invocation.command.texts(.set))
    let arguments = invocation.command.arguments
    let (sessions, isComplete) = try SessionLoader(invocation, reading: arguments).load(arguments)
    warnOfClassic(named, sessions)
    let part = try (span(from, invocation) ?? 0, span(to, invocation) ?? .max)
    guard part.0 < part.1 else {
      throw UsageError.badValue(
        option: to.name, text: invocation.command.text(to) ?? "", expected: "later than --from")
    }
    let timelines = try sessions.map { session in
      let policies =
        try named.isEmpty
        ? [PolicyChoice.variant(of: session.standardPolicy(), invocation.command.texts(.set))] : named
      let timeline = Timeline(
        session.events, closed: session.closed, policies: policies, title: session.title ?? session.name,
        part: part.0...part.1)
      guard timeline.start == part.0 else {
        throw Failure(
          "--from is \(NumberText.seconds(part.0)), but \(session.name) ends after \(NumberText.seconds(timeline.start))"
        )
      }
      return timeline
    }
    if let path = invocation.command.text(svg) {
      let width = try invocation.command.integer(width, in: 200...20_000) ?? 1200
      if timelines.count > 1 {
        Program.warn("the picture shows only the first of \(timelines.count) sessions, \(visible(sessions[0].name))")
      }
      try write(timelines[0].svg(width: Int(width)), to: path, invocation)
    } else {
      let columns = Int64(invocation.style.columns ?? 100)
      let width = try invocation.command.integer(width, in: 40...1000) ?? min(columns, 160)
      for (index, timeline) in timelines.enumerated() {
        if index > 0 { try invocation.output.line("") }
        var style: TimelineStyle = invocation.style.hasColors ? .color : .unicode
        style.isASCII = invocation.style.isASCII
        try invocation.output.lines(timeline.lines(width: Int(width), height: 14, style: style))
      }
    }
    return isComplete ? .done : .failed
  }

  /// Returns an option's time span in microseconds; `nil` without it.
  private static func span(_ option: Option, _ invocation: Invocation) throws(UsageError) -> Int64? {
    guard let text = invocation.command.text(option) else { return nil }
    // As on the time axis, a bare number is in seconds.
    if let span = SpanReader.read(text) { return span }
    throw .badValue(
      option: option.name, text: text, expected: "a time span such as “3s”, “1500ms” or “1:30”")
  }

  private static func write(_ text: String, to path: String, _ invocation: Invocation) throws {
    if path == "-" { return try invocation.output.raw(text) }
    try ReplacedFile.refuse(path, amongInputs: invocation.command.arguments)
    let file = try ReplacedFile(path, replaces: invocation.command.has(force))
    try file.append(Array(text.utf8))
    try file.commit()
  }
}
