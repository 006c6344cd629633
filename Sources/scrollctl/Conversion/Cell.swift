import ScrollModel

/// A value in a row of a table, or in a JSON object.
enum Cell: Equatable {
  case number(Double)
  case text(String)
  /// A number with a point, in a table whose decimals have commas: `1.250` may be 1250.
  case pointed(String)

  /// The value as a number; `nil` when it is not one. Spaces around it do not matter.
  var number: Double? {
    switch self {
    case .number(let number): number
    case .text(let text): Double(text.filter { $0 != " " })
    case .pointed: nil
    }
  }

  /// The value as text.
  var text: String {
    switch self {
    case .number(let number): shortest(number)
    case .text(let text), .pointed(let text): text
    }
  }

  /// Whether the value says nothing, as in an empty field.
  var isEmpty: Bool { self == .text("") }

  /// What to do about a value that is no number because of its comma or its point; empty without one.
  var commaHint: String {
    if case .pointed = self {
      return
        ", with a comma before its decimals, as this file has elsewhere, and nothing between its thousands, such as 1234,5"
    }
    guard case .text(let text) = self, text.contains(",") else { return "" }
    return ", with a point before its decimals and nothing between its thousands, such as 1234.5"
  }

  /// The value in an error message.
  var description: String {
    switch self {
    case .number(let number): shortest(number)
    case .text(let text), .pointed(let text): text.isEmpty ? "empty" : "“\(text)”"
    }
  }
}
