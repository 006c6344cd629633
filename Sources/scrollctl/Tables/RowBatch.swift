import Platform

/// Rows of one table, on their way to the thread that writes them: a grid of cells, and the bytes of their texts.
///
/// Unchecked: one thread at a time has a batch. The queue hands it over.
final class RowBatch: @unchecked Sendable {
  /// What a cell holds.
  enum Kind {
    case missing
    case integer
    case number
    case text
    /// A text without a comma, quote, line break or control character.
    case plain
  }

  /// A batch with cells or texts of this many bytes is full.
  private static let size = 1 << 18

  /// The table's place among all.
  let table: Int
  /// How many columns the table has.
  let width: Int
  /// The kinds and the values of the cells, row by row. The value of a text is its place in ``texts`` and its length.
  let kinds: UnsafeMutablePointer<Kind>
  let values: UnsafeMutablePointer<UInt64>
  private(set) var texts: UnsafeMutableRawBufferPointer
  /// The number of complete rows.
  private(set) var count = 0

  private let capacity: Int
  private var textEnd = 0
  /// The first cell of the row that is being made.
  private var start = 0

  init(_ table: Int, width: Int) {
    self.table = table
    self.width = width
    capacity = max(1, Self.size / (width * (MemoryLayout<UInt64>.stride + MemoryLayout<Kind>.stride)))
    kinds = .allocate(capacity: capacity * width)
    kinds.initialize(repeating: Kind.missing, count: capacity * width)
    values = .allocate(capacity: capacity * width)
    values.initialize(repeating: 0, count: capacity * width)
    texts = .allocate(byteCount: 1 << 12, alignment: 1)
  }

  deinit {
    kinds.deallocate()
    values.deallocate()
    texts.deallocate()
  }

  var isFull: Bool { count == capacity || textEnd >= Self.size }

  func set(_ column: Int, _ value: Int64) { set(column, .integer, UInt64(bitPattern: value)) }

  func set(_ column: Int, _ value: Double) { set(column, .number, value.bitPattern) }

  /// Sets a word of the program.
  func set(_ column: Int, _ value: StaticString) {
    precondition(value.hasPointerRepresentation)
    set(column, .plain, UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  func set(_ column: Int, _ kind: Kind, _ text: UnsafeRawBufferPointer) {
    set(column, kind, UInt64(textEnd) << 32 | UInt64(text.count))
    reserve(text.count)
    UnsafeMutableRawBufferPointer(rebasing: texts[textEnd...]).copyMemory(from: text)
    textEnd += text.count
  }

  func endRow() {
    count += 1
    start += width
  }

  /// The text of a cell.
  func text(_ value: UInt64) -> UnsafeRawBufferPointer { Self.text(value, in: UnsafeRawPointer(texts.baseAddress)) }

  /// The text of a cell of a batch whose texts are at an address.
  static func text(_ value: UInt64, in texts: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: texts.map { $0 + Int(value >> 32) }, count: Int(UInt32(truncatingIfNeeded: value)))
  }

  /// Takes all rows out.
  func removeAll() {
    kinds.update(repeating: Kind.missing, count: count * width)
    count = 0
    start = 0
    textEnd = 0
  }

  private func set(_ column: Int, _ kind: Kind, _ value: UInt64) {
    kinds[start + column] = kind
    values[start + column] = value
  }

  private func reserve(_ more: Int) {
    guard textEnd + more > texts.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(texts.count * 2, textEnd + more), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: texts[..<textEnd]))
    texts.deallocate()
    texts = larger
  }
}
