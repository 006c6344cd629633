/// Rows on their way to another thread: a sequence of cells, each with its table, column and value.
///
/// Unchecked: one thread at a time has a batch. The queue hands it over.
final class RowBatch: @unchecked Sendable {
  /// What a cell holds.
  private enum Kind: UInt8 {
    case integer
    case number
    case text
    case end
  }

  /// How many columns a table can have; its number is in the bits above.
  static let columns = 32
  /// A batch of this size is full.
  private static let full = 1 << 18
  private static let head = 10

  private var room = UnsafeMutableRawBufferPointer.allocate(byteCount: full + (1 << 12), alignment: 8)
  private var count = 0

  deinit { room.deallocate() }

  var isFull: Bool { count >= Self.full }
  var isEmpty: Bool { count == 0 }

  func append(_ value: Int64, _ table: Int, _ column: Int) {
    append(.integer, UInt64(bitPattern: value), table, column)
  }

  func append(_ value: Double, _ table: Int, _ column: Int) { append(.number, value.bitPattern, table, column) }

  func append(_ text: UnsafeRawBufferPointer, _ table: Int, _ column: Int) {
    append(.text, UInt64(text.count), table, column)
    reserve(text.count)
    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: text)
    count += text.count
  }

  func appendEnd(_ table: Int) { append(.end, 0, table, 0) }

  /// Sets the cells of rows, in order, and ends each row.
  func write(to rows: [SQLiteRows]) throws {
    var offset = 0
    while offset < count {
      let place = Int(room[offset])
      let row = rows[place / Self.columns]
      let column = place % Self.columns
      let bits = room.loadUnaligned(fromByteOffset: offset + 2, as: UInt64.self)
      let kind = Kind(rawValue: room[offset + 1])
      offset += Self.head
      switch kind {
      case .integer: row.set(column, Int64(bitPattern: bits))
      case .number: row.set(column, Double(bitPattern: bits))
      case .text:
        // The batch outlives the row's end, so that nothing has to copy the text.
        row.set(column, kept: UnsafeRawBufferPointer(rebasing: room[offset..<offset + Int(bits)]))
        offset += Int(bits)
      case .end: try row.endRow()
      case nil: preconditionFailure("no such cell")
      }
    }
  }

  private func append(_ kind: Kind, _ bits: UInt64, _ table: Int, _ column: Int) {
    reserve(Self.head)
    room[count] = UInt8(table * Self.columns + column)
    room[count + 1] = kind.rawValue
    room.storeBytes(of: bits, toByteOffset: count + 2, as: UInt64.self)
    count += Self.head
  }

  private func reserve(_ more: Int) {
    guard count + more > room.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(room.count * 2, count + more), alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<count]))
    room.deallocate()
    room = larger
  }
}
