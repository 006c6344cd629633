// Text as manual pages write it.

/// Text as manual pages write it, in the macros of man(7).
public enum ManualText {
  /// Text in which options stand in bold, broken into lines.
  public static func paragraph(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let marked = word.hasPrefix("-") && word.dropFirst().contains(where: \.isLetter) ? option(word) : escaped(word)
      // Counted without what is not seen, so that a mark changes no line but its own.
      if !line.isEmpty, line.count + marked.count > 115 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? marked : " " + marked
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map(unrequested)
  }

  /// A line as it stands, whatever signs are in it.
  public static func literal(_ line: some StringProtocol) -> String { unrequested(escaped(line)) }

  /// A synopsis: what stands for something in italics, the rest in bold.
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

  /// A word that begins with an option, in bold up to the sign behind it.
  private static func option(_ word: Substring) -> String {
    let name = word.prefix { $0 == "-" || $0.isLetter || $0.isNumber }
    return "\\fB\(escaped(name))\\fR" + escaped(word.dropFirst(name.count))
  }

  /// At a line's beginning a dot or an apostrophe would make a request of it.
  private static func unrequested(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// Text in which nothing means anything to the formatter; a dash stays what it is where one types it.
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
