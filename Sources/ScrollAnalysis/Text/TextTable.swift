/// A table of text whose columns are as wide as their widest cells.
struct TextTable {
  private var rows: [[String]] = []
  private let isNumeric: Set<Int>

  /// Creates a table. The numeric columns, counted from 0, are aligned to the right.
  init(numeric: Set<Int> = []) { isNumeric = numeric }

  /// Adds a row.
  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The rows as lines, with two spaces between columns and none at the end.
  var lines: [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        if column > 0 { line += "  " }
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += isNumeric.contains(column) ? padding + cell : cell + padding
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
