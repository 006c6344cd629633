import CPostgreSQL

/// A connection to PostgreSQL for commands, whose calls wait for the server.
public final class Database {
  private let connection: OpaquePointer

  /// Connects.
  ///
  /// - Throws: ``DatabaseFailure``.
  public init(_ address: DatabaseAddress) throws(DatabaseFailure) {
    guard let connection = address.withParameters({ PQconnectdbParams($0, $1, 1) }) else {
      throw DatabaseFailure(state: nil, message: "out of memory", isConnecting: true)
    }
    self.connection = connection
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    if PQstatus(connection) == CONNECTION_OK { return }
    let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    throw DatabaseFailure(state: nil, message: message, isConnecting: true)
  }

  deinit { PQfinish(connection) }

  /// Runs statements without parameters.
  ///
  /// - Throws: ``DatabaseFailure``.
  public func run(_ script: String) throws(DatabaseFailure) {
    let result = PQexec(connection, script)
    defer { PQclear(result) }
    try check(result)
  }

  /// Runs a statement, and returns its rows as texts.
  ///
  /// - Throws: ``DatabaseFailure``.
  @discardableResult
  public func rows(_ statement: String, _ parameters: [String?] = []) throws(DatabaseFailure) -> [[String?]] {
    let result = DatabaseAddress.withPointers(parameters) {
      PQexecParams(connection, statement, Int32(parameters.count), nil, $0, nil, nil, 0)
    }
    defer { PQclear(result) }
    try check(result)
    return result.map(AsyncDatabase.rows) ?? []
  }

  private func check(_ result: OpaquePointer?) throws(DatabaseFailure) {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
    default: break
    }
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    throw DatabaseFailure(state: state, message: message, isConnecting: false)
  }
}
