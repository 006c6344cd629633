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
