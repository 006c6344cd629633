import Platform

/// Rows of text in columns that are as wide as their widest cells, as far as they fit into the terminal.
struct TextTable {
  /// A column with its heading and alignment.
  struct Column {
    var heading: String
    var isRightAligned = false
    /// The width to which its cells may be cut if the table is too wide; `nil` if they must stay whole.
    var leastWidth: Int?
    /// When it is left out if the table is too wide: the lowest number first; `nil` for never.
    var dropOrder: Int?
  }

  /// The lines of a table.
  struct Layout {
    /// The lines, headings first.
    var lines: [String]
    /// The headings of the columns for which there was no room.
    var leftOut: [String]

    /// A sentence about the columns for which there was no room; `nil` if all are there.
    var note: String? { leftOut.isEmpty ? nil : "No room for \(leftOut.joined(separator: ", "))." }
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row must have a cell for each column")
    rows.append(cells)
  }

  /// Returns the lines, headings first. Cells are cut, and columns left out, so that the lines fit into the terminal.
  func lines(_ style: Style) -> [String] { layout(style).lines }

  /// Returns the lines, and what was left out of them, so that they fit into the terminal.
  func layout(_ style: Style) -> Layout {
    var widths = columns.indices.map { index in
      ([columns[index].heading] + rows.map { $0[index] }).map(\.columnWidth).max() ?? 0
    }
    var shown = Array(columns.indices)
    if let room = style.columns { fit(&widths, &shown, into: room) }
    let head = style.bold(line(columns.map(\.heading), widths, shown))
    return Layout(
      lines: ([head] + rows.map { line($0, widths, shown) }).map(style.fitted),
      leftOut: columns.indices.filter { !shown.contains($0) }.map { columns[$0].heading })
  }

  /// Narrows columns and leaves some out until the table has at most `room` columns of characters.
  private func fit(_ widths: inout [Int], _ shown: inout [Int], into room: Int) {
    // A heading is never cut.
    let least = columns.indices.map { index in
      columns[index].leastWidth.map { min(widths[index], max($0, columns[index].heading.columnWidth)) } ?? widths[index]
    }
    while Self.total(least, shown) > room {
      let droppable = shown.filter { columns[$0].dropOrder != nil }
      guard let first = droppable.min(by: { columns[$0].dropOrder ?? 0 < columns[$1].dropOrder ?? 0 }) else { break }
      shown.removeAll { $0 == first }
    }
    while Self.total(widths, shown) > room {
      let narrowable = shown.filter { widths[$0] > least[$0] }
      guard let widest = narrowable.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
    }
  }

  private static let gap = "  "

  /// The width of a line.
  private static func total(_ widths: [Int], _ shown: [Int]) -> Int {
    shown.reduce(gap.count * (shown.count - 1)) { $0 + widths[$1] }
  }

  private func line(_ cells: [String], _ widths: [Int], _ shown: [Int]) -> String {
    var text = ""
    text.reserveCapacity(Self.total(widths, shown))
    for index in shown {
      let cell = fitted(cells[index], columns: widths[index])
      let padding = String(repeating: " ", count: widths[index] - cell.columnWidth)
      if index != shown.first { text += Self.gap }
      if columns[index].isRightAligned {
        text += padding + cell
      } else {
        text += index == shown.last ? cell : cell + padding
      }
    }
    return text
  }
}
