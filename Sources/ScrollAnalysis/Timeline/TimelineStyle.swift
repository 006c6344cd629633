import ScrollModel

/// What a terminal can show of a timeline.
public struct TimelineStyle: Equatable, Sendable {
  /// Whether to use only ASCII.
  public var isASCII = false
  /// Whether to use colours, as ANSI escape sequences.
  public var hasColor = false

  /// Unicode without colours.
  public static let unicode = TimelineStyle()
  /// ASCII without colours.
  public static let ascii = TimelineStyle(isASCII: true)
  /// Unicode with colours.
  public static let color = TimelineStyle(hasColor: true)

  var shown: Character { isASCII ? "#" : "█" }
  var hidden: Character { isASCII ? "." : "░" }
  var both: Character { isASCII ? "%" : "▓" }
  var latched: Character { isASCII ? "=" : "▂" }
  var several: Character { "*" }
  var flicker: Character { "!" }
  var cut: String { isASCII ? "..." : "…" }
  var between: String { isASCII ? "-" : "─" }
  var dots: String { isASCII ? "* *" : "⡀ ⡀" }
  var edge: String { isASCII ? "|" : "│" }
  var tickedEdge: String { isASCII ? "+" : "┤" }
  var corner: String { isASCII ? "+" : "└" }
  var tick: String { isASCII ? "+" : "┬" }
  var levels: [Character] { isASCII ? Array("_.-=+*#@") : Array("▁▂▃▄▅▆▇█") }

  /// A colour of a band, with its number in ANSI escape sequences.
  private enum Color: Int, CaseIterable {
    case red = 31
    case green = 32
    case yellow = 33
    case magenta = 35
    case gray = 90

    var code: String { "\u{1B}[\(rawValue)m" }
  }

  private static let end = "\u{1B}[0m"

  /// The escape sequences that coloured drawings have.
  public static let escapeSequences = Color.allCases.map(\.code) + [end]

  func symbol(_ trigger: Trigger) -> Character { trigger.sign(isASCII: isASCII) }

  /// Colours characters, with one escape sequence for adjacent characters of the same colour.
  func painted(_ characters: [Character]) -> String {
    guard hasColor else { return String(characters) }
    var text = ""
    var current: Color?
    for character in characters {
      let color = character == " " ? current : color(of: character)
      if color != current {
        text += color?.code ?? Self.end
        current = color
      }
      text.append(character)
    }
    return current == nil ? text : text + Self.end
  }

  /// The colour of a character of a band; `nil` for the terminal's default.
  private func color(of character: Character) -> Color? {
    switch character {
    case shown, symbol(.scrollUp), symbol(.zoomOut), symbol(.pinned): .green
    case hidden: .gray
    case flicker: .red
    case both, symbol(.scrollDown), symbol(.zoomIn): .magenta
    case latched, symbol(.reachBottom): .yellow
    default: nil
    }
  }
}
