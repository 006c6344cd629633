import CSQLite
import Platform

/// Tables in a new SQLite file. A thread of their own writes them, because that takes as long as reading the sessions.
final class SQLiteTables: TableSet {
  private let file: ReplacedFile
  private let database: Database
  private let writers: [SQLiteRows]
  private let thread: RowThread
  private var batch = RowBatch()

  /// Creates the tables in a temporary file beside `path`.
  init(_ path: String, replaces: Bool) throws {
    file = try ReplacedFile(path, replaces: replaces)
    let database = try Database(file.temporary)
    self.database = database
    try database.run("PRAGMA user_version = \(Table.version)")
    try database.run("BEGIN")
    for table in Table.all { try database.run(table.definition) }
    writers = try Table.all.map { table in
      let places = table.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      return SQLiteRows(try database.prepare("INSERT INTO \(table.name) VALUES (\(places))"), of: database)
    }
    thread = try RowThread(writers)
  }

  deinit { discard() }

  func rows(of table: Table) throws -> any TableRows {
    guard let index = Table.all.firstIndex(where: { $0.name == table.name }) else {
      preconditionFailure("no table \(table.name)")
    }
    return BatchedRows(index, of: self)
  }

  func commit() throws {
    try thread.submit(batch)
    try thread.finish()
    for table in Table.all {
      for columns in table.indexes {
        try database.run("CREATE INDEX \(table.name)_\(columns) ON \(table.name) (\(columns))")
      }
    }
    try database.run("COMMIT")
    for writer in writers { writer.finalize() }
    try database.close()
    try file.commit()
  }

  func discard() {
    thread.stop(discards: true)
    for writer in writers { writer.finalize() }
    file.discard()
  }

  /// Rows of a table, which go to the thread in batches.
  private final class BatchedRows: TableRows {
    private let table: Int
    // The tables own the file, and outlive their rows.
    private unowned let tables: SQLiteTables

    init(_ table: Int, of tables: SQLiteTables) {
      self.table = table
      self.tables = tables
    }

    func set(_ column: Int, _ value: Int64) { tables.batch.append(value, table, column) }
    func set(_ column: Int, _ value: Double) { tables.batch.append(value, table, column) }

    func set(_ column: Int, _ value: String) {
      var value = value
      value.withUTF8 { tables.batch.append(UnsafeRawBufferPointer($0), table, column) }
    }

    func set(_ column: Int, _ value: StaticString) {
      value.withUTF8Buffer { tables.batch.append(UnsafeRawBufferPointer($0), table, column) }
    }

    func endRow() throws {
      tables.batch.appendEnd(table)
      guard tables.batch.isFull else { return }
      try tables.thread.submit(tables.batch)
      tables.batch = RowBatch()
    }
  }
}

/// The statement that inserts rows into a table.
final class SQLiteRows {
  private var statement: OpaquePointer?
  private let database: Database
  /// The first error of a value, which ``endRow()`` throws.
  private var failed = SQLITE_OK

  init(_ statement: OpaquePointer, of database: Database) {
    self.statement = statement
    self.database = database
  }

  func set(_ column: Int, _ value: Int64) { note(sqlite3_bind_int64(statement, Int32(column + 1), value)) }

  func set(_ column: Int, _ value: Double) { note(sqlite3_bind_double(statement, Int32(column + 1), value)) }

  /// Sets a text that stays where it is until the row ends.
  func set(_ column: Int, kept text: UnsafeRawBufferPointer) {
    // An empty text may have no address, which would mean a missing value.
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty
    note(sqlite3_bind_text(statement, Int32(column + 1), start, Int32(text.count), nil))
  }

  func endRow() throws {
    try database.check(failed)
    let code = sqlite3_step(statement)
    if code != SQLITE_DONE { try database.check(code) }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  func finalize() {
    sqlite3_finalize(statement)
    statement = nil
  }

  private static var empty: UnsafePointer<CChar> {
    UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private func note(_ code: Int32) { if code != SQLITE_OK, failed == SQLITE_OK { failed = code } }
}
