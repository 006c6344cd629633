import Platform

/// Returns the lines of a text that is broken between words.
///
/// - Parameters:
///   - columns: The maximum width of a line.
///   - indent: How many spaces each line begins with.
func wrapped(_ text: String, columns: Int, indent: Int = 0) -> [String] {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, indent + line.columnWidth + 1 + String(word).columnWidth > columns {
      lines.append(margin + line)
      line = ""
    }
    line += line.isEmpty ? String(word) : " \(word)"
  }
  if !line.isEmpty { lines.append(margin + line) }
  return lines
}

/// Returns the lines of a line that is too wide, each of which begins where the text of the first one does: below the text of
/// an item, and not below its dash.
func hanging(_ line: String, columns: Int?) -> [String] {
  guard let columns, line.columnWidth > columns else { return [line] }
  let spaces = String(line.prefix { $0 == " " })
  let head = spaces + (line.dropFirst(spaces.count).hasPrefix("- ") ? "- " : "")
  let lines = wrapped(String(line.dropFirst(head.count)), columns: columns, indent: head.count)
  return lines.enumerated().map { $0 == 0 ? head + $1.dropFirst(head.count) : $1 }
}

/// Returns the beginning of a text that fits into `columns`, with an ellipsis in place of the rest.
func fitted(_ text: String, columns: Int) -> String {
  if text.columnWidth <= columns { return text }
  var result = ""
  var width = 1
  for character in text {
    width += String(character).columnWidth
    if width > columns { break }
    result.append(character)
  }
  return result + "…"
}
