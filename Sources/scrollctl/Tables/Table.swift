import ScrollAnalysis
import ScrollModel

/// A table of exported sessions, in SQLite and as CSV.
struct Table: Sendable {
  /// A column's values in SQLite. CSV has the same values as text.
  enum Kind: String, Sendable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
  }

  struct Column: Sendable {
    var name: String
    var kind: Kind
    /// What follows the type: `NOT NULL`, `PRIMARY KEY`.
    var constraint = ""
    /// The meaning and unit, in one line.
    var comment: String
  }

  var name: String
  /// One line.
  var comment: String
  var columns: [Column]
  /// Constraints of the whole table.
  var constraints: [String] = []
  /// What follows the columns.
  var options = "STRICT"
  /// The columns of the indexes that are made after all rows.
  var indexes: [String] = []

  /// The version of the tables, which changes when a column changes its name or meaning.
  static let version = 1

  /// The statement that creates the table. SQLite keeps the comments.
  var definition: String {
    var lines = ["CREATE TABLE \(name) ( -- \(comment)"]
    for (index, column) in columns.enumerated() {
      let isLast = index + 1 == columns.count && constraints.isEmpty
      let constraint = column.constraint.isEmpty ? "" : " \(column.constraint)"
      lines.append("  \"\(column.name)\" \(column.kind.rawValue)\(constraint)\(isLast ? "" : ",") -- \(column.comment)")
    }
    for (index, constraint) in constraints.enumerated() {
      lines.append("  \(constraint)\(index + 1 == constraints.count ? "" : ",")")
    }
    return lines.joined(separator: "\n") + "\n) \(options)"
  }

  /// The place of a column.
  func place(_ name: String) -> Int {
    guard let place = columns.firstIndex(where: { $0.name == name }) else { preconditionFailure("no column \(name)") }
    return place
  }
}

// The tables, in the order in which they refer to each other.
extension Table {
  static let all = [session, event, transition, reading, band]

  private static let sessionKey = "REFERENCES session"

  static let session = Table(
    name: "session", comment: "A recording of a scroll view, from open to close. Times are in µs since 1970-01-01 UTC.",
    columns: [
      Column(
        name: "session", kind: .integer, constraint: "PRIMARY KEY",
        comment: "the session's number in this export, from 1, which joins the tables"),
      Column(
        name: "id", kind: .text,
        comment: "the session's id, 32 hexadecimal digits, which recordings and --json call session"),
      Column(name: "client", kind: .text, comment: "the client's name"),
      Column(name: "user", kind: .integer, comment: "the id of the user who fed it; missing for a file"),
      Column(name: "application", kind: .text, comment: "the application's name and version"),
      Column(name: "title", kind: .text, comment: "what the scroll view showed"),
      Column(name: "file", kind: .text, comment: "the recording's path; missing for a session of the log"),
      Column(name: "policy", kind: .text, constraint: "NOT NULL", comment: "the policy that folded it"),
      Column(name: "rule", kind: .text, constraint: "NOT NULL", comment: "the policy's rule"),
      Column(name: "parameters", kind: .text, constraint: "NOT NULL", comment: "the rule's parameters, as name=value"),
      Column(name: "opened", kind: .integer, comment: "when it was opened, µs"),
      Column(name: "closed", kind: .integer, comment: "when it was closed, µs; missing while it is open"),
      Column(name: "reason", kind: .text, comment: "why it was closed"),
      Column(name: "events", kind: .integer, constraint: "NOT NULL", comment: "the number of its events"),
    ])

  /// The columns of `event` before the event's own fields.
  static let eventHead = 7

  static let event = Table(
    name: "event", comment: "A callback of a scroll view. Lengths are in points (CSS pixels).",
    columns: [
      Column(name: "event", kind: .integer, constraint: "PRIMARY KEY", comment: "the event's number in this export"),
      Column(name: "session", kind: .integer, constraint: "NOT NULL \(sessionKey)", comment: "its session's number"),
      Column(
        name: "number", kind: .integer, constraint: "NOT NULL",
        comment: "its number in the session, or line in the file"),
      Column(name: "position", kind: .integer, comment: "its position in the log; missing for a file"),
      Column(name: "received", kind: .integer, comment: "when the daemon received it, µs by its clock"),
      Column(
        name: "time", kind: .integer, constraint: "NOT NULL", comment: "when it happened, µs by the client's clock"),
      Column(name: "kind", kind: .text, constraint: "NOT NULL", comment: "scroll, layout, dragBegin, …"),
    ]
      + Event.Field.allCases.map { field in
        switch field.valueType {
        case .number: Column(name: "\(field.name)", kind: .real, comment: unit(of: field))
        case .flag: Column(name: "\(field.name)", kind: .integer, comment: "0 or 1")
        case .source: Column(name: "\(field.name)", kind: .text, comment: "user, program or layout; missing: user")
        }
      }, indexes: ["session"])

  private static func unit(of field: Event.Field) -> String {
    if case .number(.scale) = field.valueType { return "a scale, > 0" }
    return "points"
  }

  static let transition = Table(
    name: "transition",
    comment: "A change of the toolbar, its trigger, the bottom flags, the button to the top or the pager.",
    columns: [
      Column(
        name: "event", kind: .integer, constraint: "PRIMARY KEY REFERENCES event",
        comment: "the event that made the change"),
      Column(name: "session", kind: .integer, constraint: "NOT NULL \(sessionKey)", comment: "its session's number"),
      Column(
        name: "time", kind: .integer, constraint: "NOT NULL", comment: "the event's time, µs by the client's clock"),
      Column(name: "toolbar", kind: .text, constraint: "NOT NULL", comment: "shown or hidden"),
      Column(name: "trigger", kind: .text, comment: "what last decided the toolbar"),
      Column(name: "reachBottom", kind: .integer, constraint: "NOT NULL", comment: "1: scrolled to the bottom"),
      Column(
        name: "bottomLatch", kind: .integer, constraint: "NOT NULL", comment: "1: one more pull shows the toolbar"),
      Column(name: "topButton", kind: .integer, constraint: "NOT NULL", comment: "1: the button to the top is visible"),
      Column(name: "pageIndex", kind: .integer, comment: "the page, 0 for the first"),
      Column(name: "pageCount", kind: .integer, comment: "the number of pages"),
      Column(
        name: "changed", kind: .text, constraint: "NOT NULL", comment: "the columns that changed, with spaces between"),
      Column(name: "reason", kind: .text, comment: "the clause that decided, if a trigger fired"),
    ], indexes: ["session"])

  static let reading = Table(
    name: "reading",
    comment: "How far and how long somebody read in a session. A measure that the session does not tell is missing.",
    columns: [
      Column(name: "session", kind: .integer, constraint: "PRIMARY KEY \(sessionKey)", comment: "the session's number")
    ]
      + Reading.Measure.allCases.map { measure in
        Column(name: measure.name, kind: kind(of: measure), comment: comment(of: measure))
      })

  private static func comment(of measure: Reading.Measure) -> String {
    measure.unit == .word ? measure.meaning : "\(measure.unit.rawValue): \(measure.meaning)"
  }

  private static func kind(of measure: Reading.Measure) -> Kind {
    switch measure.unit {
    case .microseconds, .count: .integer
    case .share, .points, .pointsPerMillisecond, .pointsPerSquareMillisecond: .real
    case .word: .text
    }
  }

  static let band = Table(
    name: "band",
    comment: "The active time of each equal part of a session's content. Missing while the sizes were unknown.",
    columns: [
      Column(name: "session", kind: .integer, constraint: "NOT NULL \(sessionKey)", comment: "the session's number"),
      Column(name: "band", kind: .integer, constraint: "NOT NULL", comment: "the part, 1 for the topmost"),
      Column(
        name: "time", kind: .integer, constraint: "NOT NULL", comment: "µs that it was on screen, shared with others"),
    ], constraints: ["PRIMARY KEY (session, band)"], options: "STRICT, WITHOUT ROWID")
}
