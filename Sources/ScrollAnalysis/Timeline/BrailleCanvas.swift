/// A canvas of dots, with two columns and four rows in every character.
struct BrailleCanvas {
  let columns: Int
  let rows: Int
  private var cells: [UInt8]

  /// The number of columns of dots.
  var width: Int { columns * 2 }
  /// The number of rows of dots.
  var height: Int { rows * 4 }

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: 0, count: columns * rows)
  }

  /// Sets the dots of a column between two rows, in either order.
  mutating func setColumn(_ x: Int, from first: Int, to last: Int) {
    for y in min(first, last)...max(first, last) { set(x, y) }
  }

  /// Sets a dot if it is within the canvas.
  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    // Unicode numbers the upper six dots column by column, then the lowest two.
    let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
    cells[y / 4 * columns + x / 2] |= bits[x % 2][y % 4]
  }

  /// A row of characters, with blanks for those without dots.
  func row(_ row: Int, isASCII: Bool) -> String {
    String(
      String.UnicodeScalarView(
        cells[row * columns..<(row + 1) * columns].map { bits in
          bits == 0 ? " " : isASCII ? "*" : Unicode.Scalar(0x2800 + UInt32(bits)) ?? " "
        }))
  }
}
