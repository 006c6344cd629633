/// Takes the rows of one table. Values are set from left to right; those that are not set are missing.
protocol TableRows: AnyObject {
  func set(_ column: Int, _ value: Int64)
  func set(_ column: Int, _ value: Double)
  func set(_ column: Int, _ value: String)
  func set(_ column: Int, _ value: StaticString)
  /// Ends the row.
  func endRow() throws
}

/// A set of tables that are written together, and appear only when they are complete.
protocol TableSet: AnyObject {
  func rows(of table: Table) throws -> any TableRows
  /// Makes the tables durable, and gives them their names.
  func commit() throws
  /// Removes what was written.
  func discard()
}
