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
    /// The lines, headings first. Each is made when it is asked for: a table may be long.
    var lines: LazyMapSequence<[Int], String>
    /// The headings of the columns for which there was no room.
    var leftOut: [String]

    /// A sentence about the columns for which there was no room; `nil` if all are there.
    var note: String? { leftOut.isEmpty ? nil : "No room for \(leftOut.joined(separator: ", "))." }
  }

  /// A cell: where its text ends in the text of all cells, and how many columns of characters it takes.
  private struct Cell {
    var end: Int
    var width: Int
  }

  let columns: [Column]
  /// The cells of all rows, row by row, the headings first.
  private var cells: [Cell] = []
  /// The text of all cells in UTF-8. A string for each would take most of the time that a long table takes.
  private var text: [UInt8] = []

  /// Creates a table.
  init(_ columns: [Column]) {
    self.columns = columns
    add(columns.map(\.heading))
  }

  /// Adds a row with a cell for each column.
  mutating func add(_ row: [String]) {
    precondition(row.count == columns.count, "a row must have a cell for each column")
    for var cell in row {
      cell.withUTF8 { text.append(contentsOf: $0) }
      cells.append(Cell(end: text.count, width: cell.columnWidth))
    }
  }

  /// Returns the lines, headings first. Cells are cut, and columns left out, so that the lines fit into the terminal.
  func lines(_ style: Style) -> [String] { Array(layout(style).lines) }

  /// Returns the lines, and what was left out of them, so that they fit into the terminal.
  ///
  /// - Parameter rows: Which rows it shows, in this order, counted from 0 as they were added; `nil` for all.
  func layout(_ style: Style, rows: [Int]? = nil) -> Layout {
    // The headings are a row, too.
    let rows = rows.map { [0] + $0.map { $0 + 1 } } ?? Array(0..<cells.count / columns.count)
    var widths = columns.map { _ in 0 }
    for row in rows {
      for column in widths.indices { widths[column] = max(widths[column], cells[row * columns.count + column].width) }
    }
    var shown = Array(columns.indices)
    if let room = style.columns { fit(&widths, &shown, into: room) }
    let lines = rows.lazy.map { [widths, shown] row in
      let line = line(row, widths, shown)
      return style.fitted(row == 0 ? style.bold(line) : line)
    }
    return Layout(
      lines: lines, leftOut: columns.indices.filter { !shown.contains($0) }.map { columns[$0].heading })
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

  /// How many spaces are between two columns.
  private static let gap = 2

  /// The width of a line.
  private static func total(_ widths: [Int], _ shown: [Int]) -> Int {
    shown.reduce(gap * (shown.count - 1)) { $0 + widths[$1] }
  }

  /// Returns the line of a row; row 0 has the headings.
  private func line(_ row: Int, _ widths: [Int], _ shown: [Int]) -> String {
    let first = row * columns.count
    let start = first == 0 ? 0 : cells[first - 1].end
    let size = cells[first + columns.count - 1].end - start
    // A cell that is cut gets an ellipsis.
    let capacity = size + Self.total(widths, shown) + columns.count * "…".utf8.count
    return String(unsafeUninitializedCapacity: capacity) { line in
      var end = 0
      // Spaces that another cell has to follow, so that no line ends in them.
      var spaces = 0
      for column in shown {
        let index = first + column
        var width = cells[index].width
        let cell = text[(index == 0 ? 0 : cells[index - 1].end)..<cells[index].end]
        let isCut = width > widths[column]
        let cut = isCut ? fitted(String(decoding: cell, as: UTF8.self), columns: widths[column]) : ""
        if isCut { width = cut.columnWidth }
        let padding = widths[column] - width
        if columns[column].isRightAligned { spaces += padding }
        line[end..<end + spaces].update(repeating: UInt8(ascii: " "))
        end += spaces
        end = line[end...].update(fromContentsOf: isCut ? ArraySlice(cut.utf8) : cell)
        spaces = Self.gap + (columns[column].isRightAligned ? 0 : padding)
      }
      return end
    }
  }
}
