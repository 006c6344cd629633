/// Tables in a new SQLite file.
final class SQLiteTables: TableSet {
  private let file: ReplacedFile
  private let database: Database
  private let insertion: RowInsertion

  /// Creates the tables in a temporary file beside `path`.
  init(_ path: String, replaces: Bool) throws {
    file = try ReplacedFile(path, replaces: replaces)
    database = try Database(file.temporary, name: path)
    try database.run("PRAGMA user_version = \(Table.version)")
    try database.run("BEGIN")
    for table in Table.all {
      try database.run(table.definition)
      // Rows come nearly in the order of the indexes. So it takes less time to keep them than to sort all rows at the end.
      for columns in table.indexes {
        try database.run("CREATE INDEX \(table.name)_\(columns) ON \(table.name) (\(columns))")
      }
    }
    insertion = try RowInsertion(into: Table.all, of: database)
  }

  deinit { discard() }

  func write(_ batch: RowBatch) throws { try insertion.insert(batch) }

  func commit() throws {
    try database.run("COMMIT")
    insertion.finalize()
    try database.close()
    try file.commit()
  }

  func discard() {
    insertion.finalize()
    file.discard()
  }
}
