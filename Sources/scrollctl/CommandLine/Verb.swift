// One verb of the program: all that parsing, help and running need.

/// One verb: a row of the table from which parsing, help and running come.
struct Verb: Sendable {
  /// Under which heading the help lists a verb.
  enum Group: String, CaseIterable, Sendable {
    case start = "Start here"
    case observe = "Ask the daemon"
    case recordings = "Work on recordings and logged sessions"
    case manage = "Manage the daemon"
  }

  /// A command line and what it does.
  struct Example: Sendable {
    var arguments: String
    var meaning: String
  }

  var name: String
  var group: Group
  var arguments: [Argument] = []
  var options: [Option] = []
  /// One line, without a full stop.
  var summary: String
  /// Paragraphs.
  var details: [String] = []
  var examples: [Example] = []
  var run: @Sendable (Invocation) throws -> ExitStatus

  /// The verb with its arguments: `list [GLOB…]`.
  var synopsis: String { ([name] + arguments.map(\.synopsis)).joined(separator: " ") }

  /// The verb of a name; `nil` when there is none.
  static func named(_ name: String) -> Verb? { all.first { $0.name == name } }
}
