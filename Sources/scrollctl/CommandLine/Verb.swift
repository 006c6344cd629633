/// A verb: a row of the table that drives parsing, help and running.
struct Verb: Sendable {
  /// The heading that help lists a verb under.
  enum Group: String, CaseIterable, Sendable {
    case start = "Start here"
    case observe = "Use the daemon"
    case recordings = "Work with recordings and logged sessions"
    case manage = "Manage the daemon"
  }

  /// The words that a verb prints, with their meanings.
  struct Glossary: Sendable {
    var heading: String
    var terms: [(name: String, meaning: String)]
  }

  /// A command line with an explanation.
  struct Example: Sendable {
    var arguments: String
    var meaning: String
  }

  var name: String
  var group: Group
  var arguments: [Argument] = []
  var options: [Option] = []
  /// One line without a full stop.
  var summary: String
  /// Paragraphs.
  var details: [String] = []
  var glossary: Glossary?
  var examples: [Example] = []
  var run: @Sendable (Invocation) throws -> ExitStatus

  /// The verb with its arguments: `list [GLOB…]`.
  var synopsis: String { ([name] + arguments.map(\.synopsis)).joined(separator: " ") }
}

extension [Verb] {
  /// Returns the verb of a name; `nil` when the name is unknown.
  func named(_ name: String) -> Verb? { first { $0.name == name } }
}

/// A positional argument of a verb.
struct Argument: Sendable {
  /// The placeholder in help: `FILE`, `top|bottom`, or `FILE…|-` when the ellipsis is not at the end.
  var name: String
  var isRequired = true
  /// The most words of the command line that it takes; only a verb's last argument may take more than one.
  var words = 1
  /// Whether it can be repeated; only a verb's last argument can.
  var repeats = false

  /// The argument as help shows it: `FILE`, `[GLOB…]`.
  var synopsis: String {
    let text = repeats && !name.contains("…") ? name + "…" : name
    return isRequired ? text : "[\(text)]"
  }
}
