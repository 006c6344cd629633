import Platform

/// Tables as CSV files in a new directory.
final class CSVTables: TableSet {
  private let path: String
  private let temporary: String
  private let replaces: Bool
  private let files: [CSVFile]
  private var isDone = false

  /// Creates a temporary directory beside `path`.
  init(_ path: String, replaces: Bool) throws {
    // A name that ends with a slash would put the temporary directory into the directory itself.
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = trimmed
    self.replaces = replaces
    let temporary = "\(trimmed).\(CurrentProcess.id).tmp"
    self.temporary = temporary
    try Self.examine(trimmed, replaces)
    let isNew = try SystemError.wrapping("create", trimmed) { () throws(Errno) in
      try Directory.make(temporary, permissions: 0o777)
    }
    if !isNew { throw SystemError("create", trimmed, .fileExists) }
    do {
      files = try Table.all.map { table in
        let name = Self.file(of: table)
        return try CSVFile(table, path: "\(temporary)/\(name)", name: "\(trimmed)/\(name)")
      }
    } catch {
      Directory.removeTree(temporary)
      throw error
    }
  }

  deinit { discard() }

  func write(_ batch: RowBatch) throws { try files[batch.table].write(batch) }

  func commit() throws {
    for file in files { try file.close() }
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

/// The CSV file of a table.
private final class CSVFile {
  /// The file's name in errors: where it is going to be.
  private let name: String
  private let file: FileDescriptor
  private var text = CSVWriter()

  init(_ table: Table, path: String, name: String) throws {
    self.name = name
    file = try SystemError.wrapping("create", name) { () throws(Errno) in
      try FileDescriptor(opening: path, [.writeOnly, .create, .exclusive], permissions: 0o666)
    }
    for column in table.columns { text.text(column.name) }
    text.endRow()
  }

  func write(_ batch: RowBatch) throws {
    var (kind, value) = (batch.kinds, batch.values)
    for _ in 0..<batch.count {
      for _ in 0..<batch.width {
        switch kind.pointee {
        case .missing: text.missing()
        case .integer: text.integer(Int64(bitPattern: value.pointee))
        case .number: text.number(Double(bitPattern: value.pointee))
        case .text: text.text(String(decoding: batch.text(value.pointee), as: UTF8.self))
        case .plain: text.plain(batch.text(value.pointee))
        }
        kind += 1
        value += 1
      }
      text.endRow()
      if text.buffer.count >= 1 << 16 { try flush() }
    }
  }

  func close() throws {
    try flush()
    try SystemError.wrapping("sync", name) { () throws(Errno) in try file.borrowed.sync() }
  }

  private func flush() throws {
    let written = text.buffer.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.borrowed.write(bytes) }
    }
    try SystemError.wrapping("write", name) { () throws(Errno) in try written.get() }
    text.removeAll()
  }
}
