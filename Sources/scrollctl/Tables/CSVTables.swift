import Platform

/// Tables as CSV files in a new directory.
final class CSVTables: TableSet {
  private let path: String
  private let temporary: String
  private let replaces: Bool
  private var writers: [CSVRows] = []
  private var isDone = false

  /// Creates a temporary directory beside `path`.
  init(_ path: String, replaces: Bool) throws {
    // A name that ends with a slash would put the temporary directory into the directory itself.
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = trimmed
    self.replaces = replaces
    temporary = "\(trimmed).\(CurrentProcess.id).tmp"
    try Self.examine(trimmed, replaces)
    let isNew = try SystemError.wrapping("create", trimmed) { [temporary] () throws(Errno) in
      try Directory.make(temporary, permissions: 0o777)
    }
    if !isNew { throw SystemError("create", trimmed, .fileExists) }
  }

  deinit { discard() }

  func rows(of table: Table) throws -> any TableRows {
    let rows = try CSVRows(
      table, path: "\(temporary)/\(Self.file(of: table))", name: "\(path)/\(Self.file(of: table))")
    writers.append(rows)
    return rows
  }

  func commit() throws {
    for writer in writers { try writer.close() }
    try FileSync.sync(temporary, as: path)
    try Self.examine(path, replaces)
    let old = "\(temporary)-old"
    let isReplaced = Files.exists(path)
    if isReplaced { try rename(path, to: old, for: "replace") }
    do {
      try rename(temporary, to: path, for: "create")
    } catch {
      if isReplaced { try rename(old, to: path, for: "restore") }
      throw error
    }
    isDone = true
    try FileSync.syncDirectory(of: path)
    if isReplaced { Directory.removeTree(old) }
  }

  func discard() {
    if isDone { return }
    isDone = true
    Directory.removeTree(temporary)
  }

  private static func file(of table: Table) -> String { "\(table.name).csv" }

  /// Renames the directory or its temporary one.
  ///
  /// - Parameter purpose: What that does to the directory, for errors.
  private func rename(_ path: String, to newPath: String, for purpose: String) throws {
    try SystemError.wrapping(purpose, self.path) { () throws(Errno) in try Files.rename(path, to: newPath) }
  }

  /// Throws unless a path is free, or an earlier export may be replaced there.
  private static func examine(_ path: String, _ replaces: Bool) throws {
    try ReplacedFile.refuse(path, unless: replaces)
    guard Files.exists(path) else { return }
    let names = try SystemError.wrapping("list", path) { () throws(Errno) in try Directory.names(in: path) }
    let others = Set(names).subtracting(Table.all.map(file)).sorted()
    if let other = others.first { throw Failure("\(path) has other files, such as \(other): --force won't replace it") }
  }
}

/// Rows of a table in a CSV file.
private final class CSVRows: TableRows {
  /// The file's name in errors: where it is going to be.
  private let name: String
  private let file: FileDescriptor
  private let count: Int
  private var row = CSVWriter()
  private var next = 0

  init(_ table: Table, path: String, name: String) throws {
    self.name = name
    count = table.columns.count
    file = try SystemError.wrapping("create", name) { () throws(Errno) in
      try FileDescriptor(opening: path, [.writeOnly, .create, .exclusive], permissions: 0o666)
    }
    for column in table.columns { row.text(column.name) }
    row.endRow()
  }

  func set(_ column: Int, _ value: Int64) {
    skip(to: column)
    row.integer(value)
  }

  func set(_ column: Int, _ value: Double) {
    skip(to: column)
    row.number(value)
  }

  func set(_ column: Int, _ value: String) {
    skip(to: column)
    row.text(value)
  }

  func set(_ column: Int, _ value: StaticString) {
    skip(to: column)
    row.plain(value)
  }

  func endRow() throws {
    skip(to: count)
    row.endRow()
    next = 0
    if row.buffer.count >= 1 << 16 { try flush() }
  }

  func close() throws {
    try flush()
    try SystemError.wrapping("sync", name) { () throws(Errno) in try file.borrowed.sync() }
  }

  private func skip(to column: Int) {
    while next < column {
      row.missing()
      next += 1
    }
    next = column + 1
  }

  private func flush() throws {
    let written = row.buffer.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.borrowed.write(bytes) }
    }
    try SystemError.wrapping("write", name) { () throws(Errno) in try written.get() }
    row.removeAll()
  }
}
