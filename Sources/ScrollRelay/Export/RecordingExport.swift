import JSON
import Platform
import ScrollJSON
import ScrollModel

/// The export of sessions from the database, in the form and order of `scrollctl export`.
public struct RecordingExport {
  /// How many records are read at once.
  private static let page = 10_000

  private let database: Database

  /// Creates an export.
  public init(_ database: Database) { self.database = database }

  /// A session in the database.
  public struct Stored: Equatable, Sendable {
    /// The machine.
    public let machine: SessionID
    /// The id under which the log has it.
    public let id: SessionID
    /// The id that its user knows.
    public let shownID: SessionID
    /// The client's name.
    public let client: String
    /// The user id.
    public let user: UInt32
  }

  /// Returns the ids and names of all machines.
  ///
  /// - Throws: ``DatabaseFailure``.
  public func machines() throws(DatabaseFailure) -> [(id: SessionID, name: String)] {
    try database.rows("SELECT machine, name FROM scroll.machine ORDER BY name, machine").compactMap { row in
      guard let id = BatchStatements.sessionID(row[0]), let name = row[1] else { return nil }
      return (id, StoredText.unescaped(name))
    }
  }

  /// Returns the sessions of a machine that stand, in the order in which they began.
  ///
  /// - Throws: ``DatabaseFailure``.
  public func sessions(of machine: SessionID) throws(DatabaseFailure) -> [Stored] {
    let rows = try database.rows(
      """
      SELECT session, given, client, uid FROM scroll.session
      WHERE machine = $1::uuid AND stands ORDER BY opened_position, session
      """, ["\(machine)"])
    return rows.compactMap { row in
      guard let id = BatchStatements.sessionID(row[0]), let client = row[2], let user = row[3].flatMap({ UInt32($0) })
      else { return nil }
      return Stored(
        machine: machine, id: id, shownID: BatchStatements.sessionID(row[1]) ?? id,
        client: StoredText.unescaped(client), user: user)
    }
  }

  /// Returns whether the database has all of a session that its machine's log had: the opening, and each event up to the last one.
  ///
  /// Of an open session whose later records may be in a gap, it is unknown, and so `false`.
  ///
  /// - Throws: ``DatabaseFailure``.
  public func isComplete(_ session: Stored) throws(DatabaseFailure) -> Bool {
    let rows = try database.rows(
      """
      SELECT r.has_opening AND r.events = r.last_number AND r.events = coalesce(s.events, r.events) AND (s.closed IS NOT NULL
        OR NOT EXISTS (SELECT FROM scroll.gap AS g WHERE g.machine = s.machine AND g.last > r.last_position))
      FROM scroll.session AS s, (SELECT coalesce(bool_or(kind = 'open'), false) AS has_opening, count(number) AS events,
        coalesce(max(number), 0) AS last_number, max(position) AS last_position FROM scroll.record
        WHERE machine = $1::uuid AND session = $2::uuid AND stands) AS r
      WHERE s.machine = $1::uuid AND s.session = $2::uuid
      """, ["\(session.machine)", "\(session.id)"])
    return rows.first?.first == "t"
  }

  /// Passes the lines of a session to a closure, each with its line break.
  ///
  /// - Throws: ``DatabaseFailure``, ``MalformedRow``, or what the closure throws.
  public func lines(of session: Stored, _ body: ([UInt8]) throws -> Void) throws {
    let parser = JSONParser()
    var after: Position = 0
    while true {
      let rows = try database.rows(
        """
        SELECT position, (extract(epoch FROM received) * 1000000)::bigint, kind, (extract(epoch FROM time) * 1000000)::bigint,
          x, y, body FROM scroll.record
        WHERE machine = $1::uuid AND session = $2::uuid AND stands AND position > $3::bigint ORDER BY position LIMIT \(Self.page)
        """, ["\(session.machine)", "\(session.id)", "\(after)"])
      for row in rows {
        guard let position = row[0].flatMap({ Int64($0) }), let received = row[1].flatMap({ Int64($0) }) else {
          throw MalformedRow(session: session.id, position: after)
        }
        after = position
        let json = try Self.json(of: row, session, parser, position)
        try body(Self.line(json, of: session, kind: row[2], received: received))
      }
      if rows.count < Self.page { return }
    }
  }

  /// Returns a record as JSON in the daemon's form.
  private static func json(
    of row: [String?], _ session: Stored, _ parser: JSONParser, _ position: Position
  ) throws -> [UInt8] {
    let kind = row[2] ?? ""
    let isEvent = !["open", "close", "request", "response"].contains(kind)
    func merged(_ body: JSONObject?) -> [UInt8] {
      JSONWriter.encode { writer in
        writer.beginObject()
        writer.member("kind", kind)
        writer.key("time")
        writer.raw(Array((row[3] ?? "0").utf8))
        if kind == "open" { writer.member("client", session.client) }
        writer.member("x", ifPresent: row[4].flatMap { Double($0) })
        writer.member("y", ifPresent: row[5].flatMap { Double($0) })
        for member in body.map(Array.init) ?? [] {
          writer.key(utf8: member.name.bytes)
          StoredText.restore(member.value, isNumber: isEvent && !(member.name == "source"), to: &writer)
        }
        writer.endObject()
      }
    }
    let text: [UInt8]
    if let body = row[6] {
      text = try parser.parse(Array(body.utf8)) { merged($0.asObject) }
    } else {
      text = merged(nil)
    }
    // The database does not keep the order of members, so the record is written again.
    return try parser.parse(text) { value in
      do {
        guard let record = Record(try RecordingLine(json: value), of: session) else { return text }
        return JSONWriter.encode { record.write(to: &$0) }
      } catch let problem as EventProblem {
        throw MalformedRow(session: session.id, position: position, reason: "\(problem.field) \(problem.reason)")
      }
    }
  }

  private static func line(_ json: [UInt8], of session: Stored, kind: String?, received: Int64) -> [UInt8] {
    guard kind == "open", json.last == UInt8(ascii: "}") else { return json + [0x0A] }
    let owner = session.user == CurrentProcess.effectiveUser ? "" : ",\"user\":\(session.user)"
    return json.dropLast() + Array(",\"session\":\"\(session.shownID)\"\(owner),\"received\":\(received)}\n".utf8)
  }
}

/// A row of the database from which no record can be made.
public struct MalformedRow: Error, Equatable, Sendable, CustomStringConvertible {
  /// The session.
  public var session: SessionID
  /// The record's position.
  public var position: Position
  /// What is wrong.
  public var reason = ""

  /// The error as a phrase for people.
  public var description: String {
    "session \(session), position \(position): the row is not a record\(reason.isEmpty ? "" : ": \(reason)")"
  }
}

extension Record {
  /// Creates a record from a recording's line; `nil` for an opening whose policy is unknown to this program, or a closing for an
  /// unknown reason.
  fileprivate init?(_ line: RecordingLine, of session: RecordingExport.Stored) {
    switch line {
    case .open(let time, _, let application, let title, let policy, _, _):
      guard let policy else { return nil }
      self = .open(
        Opening(
          client: ClientID(user: session.user, name: session.client), time: time, application: application,
          title: title,
          policy: policy))
    case .event(let event): self = .event(event, number: 0)
    case .close(let time, let reason):
      guard let reason else { return nil }
      self = .close(Closing(time: time, reason: reason))
    case .request(let request): self = .request(request)
    case .response(let response): self = .response(response)
    }
  }
}
