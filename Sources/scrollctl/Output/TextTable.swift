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

  /// A cell and how wide it is.
  private struct Cell {
    var text: String
    var width: Int

    init(_ text: String) {
      self.text = text
      width = text.columnWidth
    }
  }

  let columns: [Column]
  /// The cells of all rows, row by row.
  private var cells: [Cell] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  mutating func add(_ row: [String]) {
    precondition(row.count == columns.count, "a row must have a cell for each column")
    for text in row { cells.append(Cell(text)) }
  }

  /// Returns the lines, headings first. Cells are cut, and columns left out, so that the lines fit into the terminal.
  func lines(_ style: Style) -> [String] { layout(style).lines }

  /// Returns the lines, and what was left out of them, so that they fit into the terminal.
  func layout(_ style: Style) -> Layout {
    let headings = columns.map { Cell($0.heading) }
    var widths = headings.map(\.width)
    for (index, cell) in cells.enumerated() {
      let column = index % columns.count
      widths[column] = max(widths[column], cell.width)
    }
    var shown = Array(columns.indices)
    if let room = style.columns { fit(&widths, &shown, into: room) }
    let rows = stride(from: 0, to: cells.count, by: columns.count).map { line(cells[$0...], widths, shown) }
    return Layout(
      lines: ([style.bold(line(headings[...], widths, shown))] + rows).map(style.fitted),
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

  /// How many spaces are between two columns.
  private static let gap = 2

  /// The width of a line.
  private static func total(_ widths: [Int], _ shown: [Int]) -> Int {
    shown.reduce(gap * (shown.count - 1)) { $0 + widths[$1] }
  }

  /// Returns the line of a row, which is the first of some cells.
  private func line(_ row: ArraySlice<Cell>, _ widths: [Int], _ shown: [Int]) -> String {
    var text = ""
    text.reserveCapacity(Self.total(widths, shown))
    var isFirst = true
    // Spaces that another cell has to follow, so that no line ends in them.
    var spaces = 0
    for index in shown {
      var cell = row[row.startIndex + index]
      if cell.width > widths[index] { cell = Cell(fitted(cell.text, columns: widths[index])) }
      let padding = widths[index] - cell.width
      if !isFirst { spaces += Self.gap }
      if columns[index].isRightAligned { spaces += padding }
      text.append(spaces: spaces)
      text += cell.text
      spaces = columns[index].isRightAligned ? 0 : padding
      isFirst = false
    }
    return text
  }
}

extension String {
  private static let spaces = String(repeating: " ", count: 64)

  fileprivate mutating func append(spaces count: Int) {
    var rest = count
    while rest > 0 {
      self += Substring(Self.spaces.utf8.prefix(rest))
      rest -= Self.spaces.utf8.count
    }
  }
}
