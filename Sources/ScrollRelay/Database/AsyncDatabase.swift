import CPostgreSQL

/// A connection to PostgreSQL by libpq's asynchronous functions: it does what it can without waiting, and says for what it waits.
///
/// The one thing for which libpq itself waits is the look-up of a host's name.
final class AsyncDatabase {
  /// What the connection waits for.
  enum Interest {
    case readable, writable, either
  }

  /// What came of the steps, or of connecting.
  enum Outcome {
    /// Connected, or all steps are done.
    case done
    /// A step's check refused its rows.
    case refused
    case failed(DatabaseFailure)
  }

  /// How many bytes of a copy are passed to libpq at once.
  private static let chunk = 256 << 10

  private enum State {
    case connecting(PostgresPollingStatusType)
    case idle
    case working(Work)
    case failed
  }

  private struct Work {
    var steps: ArraySlice<DatabaseStep>
    var rows: [[String?]] = []
    /// How many bytes of the copy are passed to libpq; `nil` before the server takes them.
    var copied: Int?
    var failure: DatabaseFailure?
    var tag = ""
  }

  private let connection: OpaquePointer
  private var state: State

  /// Begins to connect.
  ///
  /// - Throws: ``DatabaseFailure``.
  init(_ address: DatabaseAddress) throws(DatabaseFailure) {
    guard let connection = address.withParameters({ PQconnectStartParams($0, $1, 1) }) else {
      throw DatabaseFailure(state: nil, message: "out of memory", isConnecting: true)
    }
    self.connection = connection
    state = .connecting(PGRES_POLLING_WRITING)
    // Notices go nowhere: what matters comes as an error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    // `deinit` ends the connection even then.
    if PQstatus(connection) == CONNECTION_BAD { throw failure(nil, isConnecting: true) }
  }

  deinit { PQfinish(connection) }

  /// The socket, which may change while connecting.
  var descriptor: Int32 { PQsocket(connection) }

  /// Which server it is, for people.
  var server: String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    return "\(host):\(PQport(connection).map { String(cString: $0) } ?? "")"
  }

  /// What it waits for.
  var interest: Interest {
    switch state {
    case .connecting(PGRES_POLLING_WRITING): .writable
    case .connecting, .idle, .failed: .readable
    case .working: PQisnonblocking(connection) == 1 && hasOutput ? .either : .readable
    }
  }

  private var hasOutput = false

  /// Begins steps; none may be under way.
  ///
  /// - Returns: The outcome, if it is known at once.
  func begin(_ steps: [DatabaseStep]) -> Outcome? {
    state = .working(Work(steps: steps[...]))
    guard let first = steps.first else {
      state = .idle
      return .done
    }
    return send(first) ?? advance()
  }

  /// Does what can be done now. Call it when the socket is ready.
  ///
  /// - Returns: The outcome of connecting or of the steps; `nil` while they are under way.
  func advance() -> Outcome? {
    switch state {
    case .connecting: return connect()
    case .working: return work()
    case .failed: return nil
    case .idle:
      // The server speaks without being asked only when it ends the connection.
      guard PQconsumeInput(connection) == 1, PQstatus(connection) == CONNECTION_OK else { return fail(failure(nil)) }
      return nil
    }
  }

  private func connect() -> Outcome? {
    let next = PQconnectPoll(connection)
    state = .connecting(next)
    switch next {
    case PGRES_POLLING_OK:
      guard PQsetnonblocking(connection, 1) == 0 else { return fail(failure(nil, isConnecting: true)) }
      state = .idle
      return .done
    case PGRES_POLLING_FAILED: return fail(failure(nil, isConnecting: true))
    default: return nil
    }
  }

  private func fail(_ failure: DatabaseFailure) -> Outcome {
    state = .failed
    return .failed(failure)
  }

  private func failure(_ result: OpaquePointer?, isConnecting: Bool = false) -> DatabaseFailure {
    let state = result.flatMap { PQresultErrorField($0, Int32(UInt8(ascii: "C"))) }.map { String(cString: $0) }
    let text = result.flatMap { PQresultErrorMessage($0) } ?? PQerrorMessage(connection)
    return DatabaseFailure(
      state: state, message: text.map { String(cString: $0) } ?? "unknown error", isConnecting: isConnecting)
  }

  // MARK: Steps

  private func send(_ step: DatabaseStep) -> Outcome? {
    let isSent =
      switch step.content {
      case .script(let text), .copy(let text, _): PQsendQuery(connection, text)
      case .statement(let text, let parameters):
        DatabaseAddress.withPointers(parameters) {
          PQsendQueryParams(connection, text, Int32(parameters.count), nil, $0, nil, nil, 0)
        }
      }
    return isSent == 1 ? nil : fail(failure(nil))
  }

  private func work() -> Outcome? {
    guard case .working(var work) = state, PQconsumeInput(connection) == 1 else { return fail(failure(nil)) }
    // Work is held here alone, so that the data of a copy is not copied.
    state = .idle
    while let step = work.steps.first {
      switch flush() {
      case .failed: return fail(work.failure ?? failure(nil))
      case .waiting where work.copied == nil:
        state = .working(work)
        return nil
      case .waiting, .done: break
      }
      if case .copy(_, let data) = step.content, let copied = work.copied, copied < .max {
        guard let next = copy(data, from: copied) else { return fail(failure(nil)) }
        work.copied = next
        if next < .max {
          state = .working(work)
          return nil
        }
        continue
      }
      if PQisBusy(connection) == 1 {
        state = .working(work)
        return nil
      }
      guard let result = PQgetResult(connection) else {
        if let failure = work.failure {
          return PQstatus(connection) == CONNECTION_OK ? failed(failure) : fail(failure)
        }
        // A commit of a transaction that had failed says so only here.
        if step.commits, work.tag != "COMMIT" {
          return failed(
            DatabaseFailure(state: nil, message: "the transaction was rolled back (\(work.tag))", isConnecting: false))
        }
        guard step.check(work.rows) else {
          state = .idle
          return .refused
        }
        work.steps.removeFirst()
        work.rows = []
        work.copied = nil
        work.tag = ""
        guard let next = work.steps.first else { break }
        if let outcome = send(next) { return outcome }
        continue
      }
      defer { PQclear(result) }
      take(result, into: &work)
    }
    state = .idle
    return .done
  }

  /// Ends the steps with a failure of the server, which leaves the connection usable.
  private func failed(_ failure: DatabaseFailure) -> Outcome {
    state = .idle
    return .failed(failure)
  }

  private func take(_ result: OpaquePointer, into work: inout Work) {
    switch PQresultStatus(result) {
    case PGRES_COPY_IN: work.copied = 0
    case PGRES_TUPLES_OK: work.rows = Self.rows(of: result)
    case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
    default: work.failure = work.failure ?? failure(result)
    }
    work.tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
  }

  private enum Flushing {
    case done, waiting, failed
  }

  private func flush() -> Flushing {
    let left = PQflush(connection)
    hasOutput = left == 1
    return left == 0 ? .done : left == 1 ? .waiting : .failed
  }

  /// Passes data of a copy to libpq.
  ///
  /// - Returns: How much of it is passed, or `.max` once the copy is ended; `nil` on failure.
  private func copy(_ data: [UInt8], from start: Int) -> Int? {
    var offset = start
    while offset < data.count {
      let end = min(data.count, offset + Self.chunk)
      let result = data.withUnsafeBytes { bytes in
        PQputCopyData(
          connection, bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self), Int32(end - offset))
      }
      if result < 0 { return nil }
      if result == 0 { return offset }
      offset = end
      // What libpq holds, it has copied, so it gets more only when that is sent.
      switch flush() {
      case .done: break
      case .waiting: return offset
      case .failed: return nil
      }
    }
    let result = PQputCopyEnd(connection, nil)
    if result < 0 { return nil }
    return result == 0 ? offset : .max
  }

  /// The rows of a result as texts.
  static func rows(of result: OpaquePointer) -> [[String?]] {
    let columns = PQnfields(result)
    return (0..<PQntuples(result)).map { row in
      (0..<columns).map { column in
        PQgetisnull(result, row, column) == 1 ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
      }
    }
  }
}
