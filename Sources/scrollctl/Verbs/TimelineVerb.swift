// scrollctl timeline: a session over time, drawn.

import Glibc
import ScrollAnalysis
import ScrollModel
import ScrollService

extension Verb {
  private static let bands = Option(
    name: "policy", value: "NAME", repeats: true, summary: "A band for this policy; may be repeated")
  private static let width = Option(name: "width", value: "N", summary: "How wide: columns, or points of the SVG")
  private static let svg = Option(
    name: "svg", value: "OUT", summary: "Write an SVG picture to this file; - is standard output")

  static let timeline = Verb(
    name: "timeline", group: .recordings,
    arguments: [Argument(name: "FILE|CLIENT|SESSION")],
    options: [bands, .set, .config, width, svg, .uid],
    summary: "Draw a session over time: where the content stood, and what the toolbar did",
    details: [
      "The curve is the content's offset; below stands a band for each policy that shows when its toolbar was hidden. --set "
        + "changes the parameter in the policy given last.",
      subjects,
      "Without --policy a FILE is drawn with the default policy, a logged session with its own.",
      "A recording of several sessions gets a drawing for each; for --svg the first is taken.",
    ],
    examples: [
      Example(arguments: "timeline article.ndjson", meaning: "On the terminal, as wide as it is."),
      Example(
        arguments: "timeline --policy classic --policy safari --svg article.svg article.ndjson",
        meaning: "As a picture, with both rules."),
      Example(arguments: "timeline reader/main", meaning: "What the reader's window did until now."),
    ]
  ) { invocation in
    if invocation.wantsJSON { throw UsageError.noJSON(verb: invocation.verbName, instead: "fold --json") }
    let names = invocation.command.texts(bands)
    let choice = try PolicyChoice(invocation.command)
    let named = try choice.policies(named: names, set: invocation.command.texts(.set))
    let sessions = try SessionLoader(invocation).load(invocation.command.arguments[0])
    let timelines = try sessions.map { session in
      let policies =
        try named.isEmpty ? [choice.policy(invocation.command, own: session.standardPolicy)] : named
      return Timeline(session.events, policies: policies, title: session.title ?? session.name)
    }
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
    guard descriptor >= 0 else { throw SystemError.last("open", path) }
    defer { close(descriptor) }
    let file = Output(descriptor: descriptor)
    try file.line(text)
    try file.flush()
  }
}
