// Writes the few elements of SVG that drawings here need.

/// Writes the few elements of SVG that drawings here need, with numbers short and text escaped.
struct SVGWriter {
  /// What was written so far.
  private(set) var text = ""
  private var depth = 0

  /// An attribute's name and value.
  typealias Attribute = (name: String, value: String)

  /// Opens an element that others go into.
  mutating func open(_ name: String, _ attributes: [Attribute] = []) {
    line("<\(name)\(Self.text(attributes))>")
    depth += 1
  }

  /// Closes the element that was opened last.
  mutating func close(_ name: String) {
    depth -= 1
    line("</\(name)>")
  }

  /// Writes an element without content, or with a tooltip.
  mutating func element(_ name: String, _ attributes: [Attribute], title: String? = nil) {
    let content = title.map { "><title>\(Self.escaped($0))</title></\(name)>" } ?? "/>"
    line("<\(name)\(Self.text(attributes))\(content)")
  }

  /// Writes a text, its base line beginning at a point.
  mutating func text(_ content: String, x: Double, y: Double, _ attributes: [Attribute] = []) {
    let place: [Attribute] = [("x", Self.number(x)), ("y", Self.number(y))]
    line("<text\(Self.text(place + attributes))>\(Self.escaped(content))</text>")
  }

  /// Writes a line as it is, such as a style sheet's.
  mutating func line(_ line: String) {
    text += String(repeating: "  ", count: depth) + line + "\n"
  }

  /// A number with at most one place, since a tenth of a pixel is nothing one sees.
  static func number(_ value: Double) -> String { NumberText.rounded(value, places: 1) }

  /// Text as content or value: no markup, and no characters that XML doesn't have.
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
