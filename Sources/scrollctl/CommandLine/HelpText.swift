/// Help for the program and for each verb, generated from the table of verbs.
struct HelpText {
  var verbs: [Verb]
  var style = Style()
  /// The maximum length of lines, in columns.
  var width = 80

  /// Help for the program.
  var program: [String] {
    var lines = ["\(Program.name) [OPTION…] VERB [ARGUMENT…]", ""]
    lines += wrap("Record scroll events, show what toolbars do and why, and try other rules.", indent: 0)
    for group in Verb.Group.allCases {
      let members = verbs.filter { $0.group == group }
      if members.isEmpty { continue }
      lines += ["", style.bold("\(group.rawValue):")]
      for verb in members { lines += entry(verb.synopsis, verb.summary, column: 34) }
    }
    lines += ["", style.bold("Options:")]
    for option in Option.global { lines += entry(option.synopsis, option.summary, column: 34) }
    lines += [""]
    lines += wrap(
      "Without --system, --user or --socket, \(Program.name) uses the daemon at $SCROLLD_SOCKET; if that is not set, your "
        + "own daemon if its socket exists, otherwise the system's.", indent: 0)
    lines += ["“\(Program.name) VERB --help” describes a verb, with examples."]
    lines += ["", style.bold("Exit status:")]
    for status in ExitStatus.allCases { lines += entry("\(status.rawValue)", status.meaning, column: 6) }
    return lines
  }

  /// Help for a verb.
  func verb(_ verb: Verb) -> [String] {
    var lines = ["\(Program.name) [OPTION…] \(verb.synopsis)", "", verb.summary + "."]
    for paragraph in verb.details { lines += [""] + wrap(paragraph, indent: 0) }
    if let glossary = verb.glossary {
      lines += ["", style.bold("\(glossary.heading):")]
      for term in glossary.terms { lines += entry(term.name, term.meaning, column: 20) }
    }
    if !verb.options.isEmpty {
      lines += ["", style.bold("Options:")]
      for option in verb.options { lines += entry(option.synopsis, option.summary, column: 30) }
    }
    lines += ["", style.bold("Common options:")]
    for option in Option.global { lines += entry(option.synopsis, option.summary, column: 30) }
    if !verb.examples.isEmpty {
      lines += ["", style.bold(verb.examples.count == 1 ? "Example:" : "Examples:")]
      for example in verb.examples {
        lines += ["  \(Program.name) \(example.arguments)"] + wrap(example.meaning, indent: 6)
      }
    }
    return lines
  }

  /// Returns a pointer to the right usage after an error in a command line.
  ///
  /// - Parameter verb: The command line's verb, if it has one.
  func hint(for error: UsageError, of verb: Verb? = nil) -> String {
    switch error {
    case .missingVerb, .unknownVerb: "“\(Program.name) --help” lists the verbs."
    case .unknownOption(_, let verb?, _, _), .missingArgument(_, let verb), .missingOption(_, let verb),
      .tooManyArguments(_, let verb), .badArgument(_, _, _, let verb), .unusableArgument(_, _, let verb):
      "Usage: \(Program.name) [OPTION…] \(verbs.named(verb)?.synopsis ?? verb)\n"
        + "“\(Program.name) \(verb) --help” describes it."
    default:
      verb.map { "“\(Program.name) \($0.name) --help” describes \($0.name) and its options." }
        ?? "“\(Program.name) --help” lists verbs and options."
    }
  }

  /// Puts a term's meaning in its own column, below the term if the term is too long.
  private func entry(_ term: String, _ meaning: String, column: Int) -> [String] {
    let head = "  " + term
    let column = min(column, width / 2)
    var wrapped = wrap(meaning, indent: column)
    if head.count + 2 > column { return [head] + wrapped }
    if let first = wrapped.first {
      wrapped[0] = head + String(repeating: " ", count: column - head.count) + first.dropFirst(column)
    }
    return wrapped
  }

  private func wrap(_ text: String, indent: Int) -> [String] { wrapped(text, columns: width, indent: indent) }
}
