import ScrollTesting

@testable import scrollctl

/// The part of scrollctl(1) that is generated from the table of verbs: verbs, options and examples.
enum ManualPage {
  /// The lines of the part.
  static var lines: [String] {
    var lines = [".SH VERBS"]
    for group in Verb.Group.allCases {
      lines.append(".SS \(ManualText.escaped(group.rawValue))")
      for verb in Verb.all where verb.group == group { lines += entry(verb) }
    }
    lines += [".SH OPTIONS", "These options can be anywhere on the command line, with every verb."]
    for option in Option.global { lines += entry(option) }
    lines.append(".SH EXAMPLES")
    for example in Verb.all.flatMap(\.examples) {
      lines += [".TP", "\\fB\(ManualText.escaped("\(Program.name) \(example.arguments)"))\\fR"]
      lines += ManualText.paragraph(example.meaning)
    }
    return lines
  }

  private static func entry(_ verb: Verb) -> [String] {
    let own = verb.options.isEmpty ? "" : " [\\fIOPTION\\fR\\fB…\\fR]"
    var lines = [".TP", ManualText.synopsis(verb.synopsis) + own]
    lines += ManualText.paragraph(verb.summary + ".")
    for paragraph in verb.details { lines += [".IP"] + ManualText.paragraph(paragraph) }
    if let glossary = verb.glossary {
      lines += [".IP"] + ManualText.paragraph(glossary.heading + ":") + [".RS"]
      for term in glossary.terms {
        lines += [".TP", ManualText.escaped(term.name)] + ManualText.paragraph(term.meaning + ".")
      }
      lines.append(".RE")
    }
    guard !verb.options.isEmpty else { return lines }
    lines.append(".RS")
    for option in verb.options { lines += entry(option) }
    lines.append(".RE")
    return lines
  }

  private static func entry(_ option: Option) -> [String] {
    var names = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
    names += "\\fB\(ManualText.escaped("--" + option.name))\\fR"
    if let value = option.value { names += " " + ManualText.synopsis(value) }
    return [".TP", names] + ManualText.paragraph(option.summary + ".")
  }
}
