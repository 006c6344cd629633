import Platform

/// Rows of text in columns that are as wide as their widest cells.
struct TextTable {
  /// A column with its heading and alignment.
  struct Column {
    var heading: String
    var isRightAligned = false
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row must have a cell for each column")
    rows.append(cells)
  }

  /// Returns the lines, headings first.
  func lines(_ style: Style) -> [String] {
    let widths = columns.indices.map { index in
      ([columns[index].heading] + rows.map { $0[index] }).map(\.columnWidth).max() ?? 0
    }
    return [style.bold(line(columns.map(\.heading), widths))] + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[index] - cell.columnWidth)
      if index > 0 { text += "  " }
      if columns[index].isRightAligned {
        text += padding + cell
      } else {
        text += index + 1 == cells.count ? cell : cell + padding
      }
    }
    return text
  }
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
