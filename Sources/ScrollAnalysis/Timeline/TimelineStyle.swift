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

  func symbol(_ trigger: Trigger) -> Character { trigger.sign(isASCII: isASCII) }

  /// Colours characters, with one escape sequence for adjacent characters of the same colour.
  func painted(_ characters: [Character]) -> String {
    guard hasColor else { return String(characters) }
    var text = ""
    var current: Int?
    for character in characters {
      let color = character == " " ? current : color(of: character)
      if color != current {
        text += color.map { "\u{1B}[\($0)m" } ?? "\u{1B}[0m"
        current = color
      }
      text.append(character)
    }
    return current == nil ? text : text + "\u{1B}[0m"
  }

  /// The ANSI colour of a character of a band; `nil` for the terminal's default.
  private func color(of character: Character) -> Int? {
    switch character {
    case shown, symbol(.scrollUp), symbol(.zoomOut), symbol(.pinned): 32
    case hidden: 90
    case flicker: 31
    case both, symbol(.scrollDown), symbol(.zoomIn): 35
    case latched, symbol(.reachBottom): 33
    default: nil
    }
  }
}
