/// A step of the work on the database. Steps are carried out in order.
struct DatabaseStep {
  /// What the step does.
  enum Content {
    /// Statements without parameters. The rows are those of the last one that has any.
    case script(String)
    /// A statement with parameters as texts.
    case statement(String, [String?])
    /// `COPY … FROM STDIN (FORMAT binary)` with its data.
    case copy(String, [UInt8])
  }

  let content: Content
  /// Whether the step is a commit: if the connection is lost while it runs, its outcome is unknown.
  var commits = false
  /// Looks at the rows, and returns whether the next step may follow.
  var check: ([[String?]]) -> Bool = { _ in true }

  static func script(_ text: String) -> DatabaseStep { DatabaseStep(content: .script(text)) }

  static func statement(_ text: String, _ parameters: [String?]) -> DatabaseStep {
    DatabaseStep(content: .statement(text, parameters))
  }

  static func copy(_ text: String, _ data: [UInt8]) -> DatabaseStep { DatabaseStep(content: .copy(text, data)) }
}
