/// Takes the rows of one table. Values that are not set are missing.
final class TableRows {
  private let thread: RowThread
  private var batch: RowBatch

  init(of table: Table, to thread: RowThread) {
    guard let place = Table.all.firstIndex(where: { $0.name == table.name }) else {
      preconditionFailure("no table \(table.name)")
    }
    self.thread = thread
    batch = RowBatch(place, width: table.columns.count)
  }

  func set(_ column: Int, _ value: Int64) { batch.set(column, value) }

  func set(_ column: Int, _ value: Double) { batch.set(column, value) }

  func set(_ column: Int, _ value: String) {
    var value = value
    value.withUTF8 { batch.set(column, .text, UnsafeRawBufferPointer($0)) }
  }

  func set(_ column: Int, _ value: StaticString) { batch.set(column, value) }

  /// Adds a row.
  ///
  /// - Parameter fill: Sets the values, in the batch itself: through this object, each would cost a retain.
  @inline(__always)
  func add(_ fill: (RowBatch) -> Void) throws {
    fill(batch)
    try endRow()
  }

  /// Ends the row.
  func endRow() throws {
    batch.endRow()
    if batch.isFull { batch = try thread.exchange(batch) }
  }

  /// Hands over the last rows.
  func finish() throws { batch = try thread.exchange(batch) }
}

/// A set of tables that are written together, and appear only when they are complete.
protocol TableSet: AnyObject {
  /// Writes rows of a table.
  func write(_ batch: RowBatch) throws
  /// Makes the tables durable, and gives them their names.
  func commit() throws
  /// Removes what was written.
  func discard()
}
