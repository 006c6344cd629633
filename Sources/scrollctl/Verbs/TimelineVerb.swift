// scrollctl timeline: a session over time, drawn.

import Glibc
import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let bands = Option(
    name: "policy", value: "NAME", repeats: true, summary: "A band for this policy; may be repeated")
  private static let width = Option(name: "width", value: "N", summary: "How wide: columns, or points of the SVG")
  private static let svg = Option(
    name: "svg", value: "OUT", summary: "Write an SVG picture to this file; - is standard output")

  static let timeline = Verb(
    name: "timeline", group: .recordings,
    arguments: [Argument(name: "FILE")],
    options: [bands, .set, width, svg],
    summary: "Draw a recording over time: where the content stood, and what the toolbar did",
    details: [
      "The curve is the content's offset; below stands a band for each policy that shows when its toolbar was hidden. --set "
        + "changes the parameter in the policy given last.",
      "A recording of several sessions gets a drawing for each; for --svg the first is taken.",
    ],
    examples: [
      Example(arguments: "timeline article.ndjson", meaning: "On the terminal, as wide as it is."),
      Example(
        arguments: "timeline --policy classic --policy safari --svg article.svg article.ndjson",
        meaning: "As a picture, with both rules."),
    ]
  ) { invocation in
    if invocation.wantsJSON { throw UsageError.noJSON(verb: invocation.verbName, instead: "fold --json") }
    let names = invocation.command.texts(bands)
    let policies = try PolicyChoice.policies(
      named: names.isEmpty ? [Policy.safari.name] : names, set: invocation.command.texts(.set))
    let sessions = try LoadedSession.load(invocation.command.arguments[0])
    let timelines = sessions.map { Timeline($0.events, policies: policies, title: $0.title ?? $0.file) }
    if let path = invocation.command.text(svg) {
      let width = try invocation.command.integer(width, in: 200...20_000) ?? 1200
      try write(timelines[0].svg(width: Int(width)), to: path, invocation.output)
    } else {
      let columns = Int64(invocation.style.columns ?? 100)
      let width = try invocation.command.integer(width, in: 40...1000) ?? min(columns, 160)
      for (index, timeline) in timelines.enumerated() {
        if index > 0 { try invocation.output.line("") }
        let style: TimelineStyle = invocation.style.hasColors ? .color : .unicode
        try invocation.output.lines(timeline.lines(width: Int(width), height: 14, style: style))
      }
    }
    return .done
  }

  private static func write(_ text: String, to path: String, _ output: Output) throws {
    if path == "-" {
      try output.line(text)
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw SystemCallError.last("open", path) }
    defer { close(descriptor) }
    let file = Output(descriptor: descriptor)
    try file.line(text)
    try file.flush()
  }
}
