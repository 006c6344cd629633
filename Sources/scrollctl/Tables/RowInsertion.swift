import CSQLite

/// Inserts batches of rows into a database. Each table has a virtual table that shows the rows of a batch, and one statement
/// copies all of them. That takes half the time of a statement for each row.
final class RowInsertion {
  private let database: Database
  private let sources: [BatchSource]
  private var statements: [OpaquePointer] = []

  /// Prepares the insertion into tables that exist.
  init(into tables: [Table], of database: Database) throws {
    self.database = database
    sources = tables.map { BatchSource(columns: $0.columns.count) }
    for (table, source) in zip(tables, sources) {
      try database.add(.batch, named: "rows_\(table.name)", Unmanaged.passUnretained(source).toOpaque())
      statements.append(try database.prepare("INSERT INTO \(table.name) SELECT * FROM rows_\(table.name)"))
    }
  }

  deinit { finalize() }

  /// Inserts the rows of a batch into its table.
  func insert(_ batch: RowBatch) throws {
    let (source, statement) = (sources[batch.table], statements[batch.table])
    source.batch = batch
    let code = sqlite3_step(statement)
    source.batch = nil
    // The error has to be read before the statement is reset.
    defer { sqlite3_reset(statement) }
    try database.check(code)
  }

  /// Ends the statements, so that the database can be closed.
  func finalize() {
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
  }
}

/// What a virtual table shows.
private final class BatchSource {
  /// The declaration for SQLite, which takes columns by their order.
  let declaration: String
  /// The batch, while a statement reads it.
  var batch: RowBatch?

  init(columns: Int) {
    declaration = "CREATE TABLE rows (\((0..<columns).map { "column\($0)" }.joined(separator: ", ")))"
  }
}

/// A row of a batch. It follows SQLite's own part of a cursor.
private struct BatchCursor {
  var kinds: UnsafePointer<RowBatch.Kind>
  var values: UnsafePointer<UInt64>
  let texts: UnsafeRawPointer?
  let width: Int
  var row = 0
  let count: Int

  init(_ batch: RowBatch) {
    kinds = UnsafePointer(batch.kinds)
    values = UnsafePointer(batch.values)
    texts = UnsafeRawPointer(batch.texts.baseAddress)
    width = batch.width
    count = batch.count
  }

  mutating func advance() {
    row += 1
    kinds += width
    values += width
  }

  /// Gives SQLite the value of a column. A text stays where it is while the statement runs.
  func report(_ column: Int, to context: OpaquePointer?) {
    let value = values[column]
    switch kinds[column] {
    case .missing: break
    case .integer: sqlite3_result_int64(context, Int64(bitPattern: value))
    case .number: sqlite3_result_double(context, Double(bitPattern: value))
    case .text, .plain:
      let text = RowBatch.text(value, in: texts)
      sqlite3_result_text(context, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
    }
  }
}

extension sqlite3_module {
  /// A virtual table that shows the rows of a ``BatchSource``. It has no indexes and can't be written.
  fileprivate static var batch: sqlite3_module {
    var functions = sqlite3_module()
    functions.xConnect = { database, source, _, _, table, _ in
      guard let source, let table else { return SQLITE_MISUSE }
      let object = Unmanaged<BatchSource>.fromOpaque(source).takeUnretainedValue()
      table.pointee = withOwnPart(sqlite3_vtab(), source)
      return sqlite3_declare_vtab(database, object.declaration)
    }
    functions.xBestIndex = { _, _ in SQLITE_OK }
    functions.xDisconnect = { table in
      table?.deallocate()
      return SQLITE_OK
    }
    functions.xOpen = { table, cursor in
      cursor?.pointee = withOwnPart(sqlite3_vtab_cursor(), BatchCursor?.none)
      return SQLITE_OK
    }
    functions.xClose = { cursor in
      cursor?.deallocate()
      return SQLITE_OK
    }
    functions.xFilter = { cursor, _, _, _, _ in
      guard let cursor, let table = cursor.pointee.pVtab else { return SQLITE_MISUSE }
      let source = ownPart(of: table, as: UnsafeMutableRawPointer.self).pointee
      let batch = Unmanaged<BatchSource>.fromOpaque(source).takeUnretainedValue().batch
      ownPart(of: cursor, as: BatchCursor?.self).pointee = batch.map(BatchCursor.init)
      return SQLITE_OK
    }
    functions.xNext = { cursor in
      guard let cursor else { return SQLITE_MISUSE }
      ownPart(of: cursor, as: BatchCursor?.self).pointee?.advance()
      return SQLITE_OK
    }
    functions.xEof = { cursor in
      guard let cursor, let place = ownPart(of: cursor, as: BatchCursor?.self).pointee else { return 1 }
      return place.row < place.count ? 0 : 1
    }
    functions.xColumn = { cursor, context, column in
      guard let cursor else { return SQLITE_MISUSE }
      ownPart(of: cursor, as: BatchCursor?.self).pointee?.report(Int(column), to: context)
      return SQLITE_OK
    }
    functions.xRowid = { cursor, number in
      guard let cursor else { return SQLITE_MISUSE }
      number?.pointee = Int64(ownPart(of: cursor, as: BatchCursor?.self).pointee?.row ?? 0)
      return SQLITE_OK
    }
    return functions
  }
}

/// Allocates what SQLite wants to have, followed by what is ours.
private func withOwnPart<Head, Own>(_ head: Head, _ own: Own) -> UnsafeMutablePointer<Head> {
  let memory = UnsafeMutableRawPointer.allocate(
    byteCount: MemoryLayout<Head>.stride + MemoryLayout<Own>.stride, alignment: 16)
  (memory + MemoryLayout<Head>.stride).initializeMemory(as: Own.self, to: own)
  return memory.initializeMemory(as: Head.self, to: head)
}

/// What follows a part of SQLite's.
private func ownPart<Head, Own>(of head: UnsafeMutablePointer<Head>, as: Own.Type) -> UnsafeMutablePointer<Own> {
  (UnsafeMutableRawPointer(head) + MemoryLayout<Head>.stride).assumingMemoryBound(to: Own.self)
}
