/// A table of text whose columns are as wide as their widest cells.
struct TextTable {
  private var rows: [[String]] = []
  /// How many of the rows are headings.
  private var headings = 1
  /// The headings in one line, if they are stacked.
  private var wholeHeadings: [String] = []
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

  // MARK: Narrow terminals

  /// Breaks the headings of columns between words, into as many rows as that takes.
  mutating func stackHeadings(of columns: Range<Int>) {
    guard headings == 1, let heading = rows.first else { return }
    let words = heading.enumerated().map { columns.contains($0) ? $1.split(separator: " ").map(String.init) : [$1] }
    wholeHeadings = heading
    headings = words.map(\.count).max() ?? 1
    let stacked = (0..<headings).map { row in words.map { row < $0.count ? $0[row] : "" } }
    rows.replaceSubrange(0..<1, with: stacked)
  }

  /// Shortens the names of parameters in stacked headings, and not their values: `hide…=24`.
  mutating func shortenParameters() {
    for row in 0..<headings {
      for (column, word) in rows[row].enumerated() {
        guard let equals = word.firstIndex(of: "="), word[..<equals].count > 5 else { continue }
        rows[row][column] = word.prefix(4) + "…" + word[equals...]
      }
    }
  }

  /// A column's heading, in one line.
  private func heading(_ column: Int) -> String {
    column < wholeHeadings.count ? wholeHeadings[column] : rows[0][column]
  }

  /// The width that a column of labels cannot go below, if the numbers at the ends of the labels stay whole.
  func leastLabelWidth(_ column: Int) -> Int {
    rows.dropFirst(headings).map { row in row[column].reversed().prefix(while: \.isNumber).count + 2 }.max() ?? 1
  }

  /// A column whose cells may be shortened where the table is too wide.
  struct Shortening {
    var column: Int
    /// Whether the end of a text stays, such as an event's number, and not its beginning.
    var keepsEnd: Bool
    /// The width above which it is shortened before columns are left out.
    var least: Int
  }

  /// Returns the lines in at most `width` columns, as far as that is possible. Cells are shortened first, and then columns are
  /// left out. Numbers stay whole.
  ///
  /// - Parameter order: The columns that may be left out, in this order.
  /// - Returns: The lines, and the headings of the columns that are left out.
  func narrowed(
    to width: Int, shortening: [Shortening], leavingOut order: [Int]
  ) -> (lines: [String], leftOut: [String]) {
    var leftOut: Set<Int> = []
    var rest = order[...]
    while true {
      let isLast = rest.isEmpty
      let lines = without(leftOut, shortening.map { isLast ? Shortening($0, least: 1) : $0 }, to: width)
      if isLast || lines.allSatisfy({ $0.count <= width }) {
        return (lines, leftOut.sorted().map(heading))
      }
      leftOut.insert(rest.removeFirst())
    }
  }

  /// Returns the lines in at most `width` columns of characters with all columns; `nil` if that is not possible.
  func fitted(to width: Int, shortening: [Shortening]) -> [String]? {
    let lines = without([], shortening, to: width)
    return lines.allSatisfy { $0.count <= width } ? lines : nil
  }

  /// The lines without some columns, and with the others shortened as far as they may be.
  private func without(_ leftOut: Set<Int>, _ shortening: [Shortening], to width: Int) -> [String] {
    let kept = (0..<(rows.map(\.count).max() ?? 0)).filter { !leftOut.contains($0) }
    var table = TextTable(numeric: Set(kept.indices.filter { isNumeric.contains(kept[$0]) }))
    for (index, row) in rows.enumerated() {
      let cells = kept.filter { $0 < row.count }.map { row[$0] }
      // The columns that are left may have fewer rows of headings.
      if index < headings, index > 0, cells.allSatisfy(\.isEmpty) { continue }
      table.add(cells)
      if index < headings { table.headings = index + 1 }
    }
    for part in shortening {
      guard let column = kept.firstIndex(of: part.column) else { continue }
      let excess = (table.lines.map(\.count).max() ?? 0) - width
      if excess > 0 { table.shorten(column, by: excess, part) }
    }
    return table.lines
  }

  private mutating func shorten(_ column: Int, by excess: Int, _ shortening: Shortening) {
    let width = rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    // A heading is never cut.
    let room = max(width - excess, shortening.least, rows[..<headings].map { $0[column].count }.max() ?? 0)
    for index in rows.indices where column < rows[index].count && rows[index][column].count > room {
      let cell = rows[index][column]
      rows[index][column] = shortening.keepsEnd ? "…" + cell.suffix(room - 1) : cell.prefix(room - 1) + "…"
    }
  }
}

extension TextTable.Shortening {
  fileprivate init(_ other: Self, least: Int) {
    self = other
    self.least = least
  }
}
