import ScrollModel

/// A value in a row of a table, or in a JSON object.
enum Cell: Equatable {
  case number(Double)
  case text(String)

  /// The value as a number; `nil` when it is not one. Spaces around it do not matter.
  var number: Double? {
    switch self {
    case .number(let number): number
    case .text(let text): Double(text.filter { $0 != " " })
    }
  }

  /// The value as text.
  var text: String {
    switch self {
    case .number(let number): shortest(number)
    case .text(let text): text
    }
  }

  /// Whether the value says nothing, as in an empty field.
  var isEmpty: Bool { self == .text("") }

  /// What to do about a value that is no number because of its comma; empty without one.
  var commaHint: String {
    guard case .text(let text) = self, text.contains(",") else { return "" }
    return ", with a point before its decimals and nothing between its thousands, such as 1234.5"
  }

  /// The value in an error message.
  var description: String {
    switch self {
    case .number(let number): shortest(number)
    case .text(let text): text.isEmpty ? "empty" : "“\(text)”"
    }
  }
}
