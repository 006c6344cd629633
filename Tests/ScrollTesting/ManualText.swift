/// Text for manual pages, in the macros of man(7).
public enum ManualText {
  /// Formats a paragraph, with options in bold, and breaks it into lines.
  public static func paragraph(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let marked = word.hasPrefix("-") && word.dropFirst().contains(where: \.isLetter) ? option(word) : escaped(word)
      // Counted with the markup of this word only, so that a change of markup changes only its own line.
      if !line.isEmpty, line.count + marked.count > 115 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? marked : " " + marked
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map(unrequested)
  }

  /// Formats a line so that it appears unchanged, whatever its characters.
  public static func literal(_ line: some StringProtocol) -> String { unrequested(escaped(line)) }

  /// Formats a synopsis, with placeholders in italics and the rest in bold.
  public static func synopsis(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let first = rest.first {
      let isName = first.isUppercase
      let run = rest.prefix { isName ? $0.isUppercase || $0 == "=" : !$0.isUppercase }
      rest = rest.dropFirst(run.count)
      result += isName ? "\\fI\(escaped(run))\\fR" : "\\fB\(escaped(run))\\fR"
    }
    return result
  }

  /// Formats a word that begins with an option, which is in bold up to the punctuation after it.
  private static func option(_ word: Substring) -> String {
    let name = word.prefix { $0 == "-" || $0.isLetter || $0.isNumber }
    return "\\fB\(escaped(name))\\fR" + escaped(word.dropFirst(name.count))
  }

  /// Escapes a dot or an apostrophe at the beginning of a line, which would make the line a request.
  private static func unrequested(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// Escapes all characters with a meaning for the formatter. Dashes stay typeable hyphens-minus.
  public static func escaped(_ text: some StringProtocol) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "`": "\\(ga"
      default: String(character)
      }
    }.joined()
  }
}
