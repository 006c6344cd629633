import CSQLite
import Platform

/// A new SQLite database, written by one connection in one transaction.
final class Database {
  /// An error of SQLite.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  private let name: String
  private var handle: OpaquePointer?
  /// SQLite calls their functions until it has closed the database.
  private var modules: [UnsafeMutablePointer<sqlite3_module>] = []

  /// Opens an empty file as a database.
  ///
  /// - Parameter name: The name of the file in errors.
  init(_ path: String, name: String) throws {
    self.name = name
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    try check(code)
    // The file is thrown away if anything fails, and synced at the end.
    for setting in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -16384"] {
      try run("PRAGMA \(setting)")
    }
  }

  deinit {
    sqlite3_close_v2(handle)
    for module in modules { module.deallocate() }
  }

  /// Runs a statement.
  func run(_ text: String) throws { try check(sqlite3_exec(handle, text, nil, nil, nil)) }

  /// Prepares a statement, which must not be used after the database.
  func prepare(_ text: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw Problem(description: "cannot prepare: \(text)") }
    return statement
  }

  /// Adds a virtual table that statements can read by its name.
  ///
  /// - Parameter source: What the functions get when they connect to it.
  func add(_ functions: sqlite3_module, named name: String, _ source: UnsafeMutableRawPointer) throws {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: functions)
    modules.append(module)
    try check(sqlite3_create_module(handle, name, module, source))
  }

  /// Closes the database. Statements must be finalized before.
  func close() throws {
    try check(sqlite3_close(handle))
    handle = nil
  }

  /// Throws the error of a result code.
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK, code != SQLITE_DONE else { return }
    // The reason of a failed system call says more than SQLite's “disk I/O error”.
    let errno = Errno(rawValue: sqlite3_system_errno(handle))
    switch code & 0xFF {
    case SQLITE_FULL: throw SystemError("write", name, errno.rawValue == 0 ? .noSpace : errno)
    case SQLITE_IOERR where errno.rawValue != 0: throw SystemError("write", name, errno)
    case SQLITE_CANTOPEN where errno.rawValue != 0: throw SystemError("open", name, errno)
    default: throw Problem(description: "cannot write \(name): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }
}
