// Rows of text in columns.

/// Rows of text in columns, as wide as their widest cell.
struct TextTable {
  /// A column: its heading, and on which side its cells begin.
  struct Column {
    var heading: String
    var isRightAligned = false
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row of as many cells as there are columns.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row must have a cell for each column")
    rows.append(cells)
  }

  /// The lines, headings first.
  func lines(_ style: Style) -> [String] {
    let widths = columns.indices.map { index in
      ([columns[index].heading] + rows.map { $0[index] }).map(columnWidth).max() ?? 0
    }
    return [style.bold(line(columns.map(\.heading), widths))] + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[index] - columnWidth(cell))
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
