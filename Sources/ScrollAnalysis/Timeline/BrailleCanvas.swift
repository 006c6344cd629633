// Dots in characters, eight each.

/// A canvas of dots, two wide and four high in every character.
struct BrailleCanvas {
  let columns: Int
  let rows: Int
  private var cells: [UInt8]

  /// Dots across.
  var width: Int { columns * 2 }
  /// Dots down.
  var height: Int { rows * 4 }

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: 0, count: columns * rows)
  }

  /// Sets the dots of a column from one row to another, whichever is above.
  mutating func setColumn(_ x: Int, from first: Int, to last: Int) {
    for y in min(first, last)...max(first, last) { set(x, y) }
  }

  /// Sets a dot that lies within the canvas.
  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    // Unicode numbers the upper six dots down the columns, and the lowest two afterwards.
    let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
    cells[y / 4 * columns + x / 2] |= bits[x % 2][y % 4]
  }

  /// A row of characters; a blank where no dot is set.
  func row(_ row: Int, isASCII: Bool) -> String {
    String(
      String.UnicodeScalarView(
        cells[row * columns..<(row + 1) * columns].map { bits in
          bits == 0 ? " " : isASCII ? "*" : Unicode.Scalar(0x2800 + UInt32(bits)) ?? " "
        }))
  }
}
