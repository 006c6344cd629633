import ScrollModel

/// A writer for the few SVG elements that the drawings need. It shortens numbers and escapes text.
struct SVGWriter {
  /// The text so far.
  private(set) var text = ""
  private var depth = 0

  /// An attribute's name and value.
  typealias Attribute = (name: String, value: String)

  /// Opens an element that contains others.
  mutating func open(_ name: String, _ attributes: [Attribute] = []) {
    line("<\(name)\(Self.text(attributes))>")
    depth += 1
  }

  /// Closes the element opened last.
  mutating func close(_ name: String) {
    depth -= 1
    line("</\(name)>")
  }

  /// Writes an element without content, or with a tooltip.
  mutating func element(_ name: String, _ attributes: [Attribute], title: String? = nil) {
    let content = title.map { "><title>\(Self.escaped($0))</title></\(name)>" } ?? "/>"
    line("<\(name)\(Self.text(attributes))\(content)")
  }

  /// Writes a text whose baseline begins at a point.
  mutating func text(_ content: String, x: Double, y: Double, _ attributes: [Attribute] = []) {
    let place: [Attribute] = [("x", Self.number(x)), ("y", Self.number(y))]
    line("<text\(Self.text(place + attributes))>\(Self.escaped(content))</text>")
  }

  /// Writes a line unchanged, such as one of a style sheet.
  mutating func line(_ line: String) {
    text += String(repeating: "  ", count: depth) + line + "\n"
  }

  /// A number with at most one decimal place, because differences below a tenth of a pixel are invisible.
  static func number(_ value: Double) -> String { NumberText.rounded(value, places: 1) }

  /// Text as content or as a value, without markup and without characters that XML does not allow.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in PlainText.clean(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func text(_ attributes: [Attribute]) -> String {
    attributes.map { " \($0.name)=\"\(escaped($0.value))\"" }.joined()
  }
}

/// Makes text from outside safe to show.
public enum PlainText {
  /// Returns the text with U+FFFD in place of characters that could control a terminal or rearrange the text around them.
  public static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isUnsafeToPrint ? "\u{FFFD}" : $0 }))
  }
}
