import JSON
import ScrollModel

/// The steps that store a batch of a machine in one transaction, and those that read its cursor and its sessions.
struct BatchStatements {
  /// The machine whose log it is. Its id is a UUID, and so needs no quoting.
  let identity: MachineIdentity
  /// The version of the program.
  let version: String

  private var machine: SessionID { identity.id }
  private var name: String { identity.name }
  private var id: String { Self.uuid(machine) }

  /// Returns the text of a UUID.
  static func uuid(_ id: SessionID) -> String {
    let digits = Array("\(id)")
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  private static let cursorColumns =
    "generation, position, (extract(epoch FROM received) * 1000000)::bigint, run, forgotten"

  // MARK: Reading

  /// Checks the schema, adds the machine if it is new, and reads its cursor.
  ///
  /// - Parameters:
  ///   - settings: Gets the version of the schema and the encoding of the database, and returns whether both are right.
  ///   - cursor: Gets the cursor, and the name under which the machine was stored last.
  func beginning(
    settings check: @escaping (Int, String) -> Bool, cursor: @escaping (RelayCursor, String) -> Void
  ) -> [DatabaseStep] {
    // A role may have its own settings, with which times would have other forms.
    var settings = DatabaseStep.script(
      "SELECT max(version), current_setting('server_encoding') FROM scroll.version")
    settings.check = { rows in
      guard let row = rows.first, row.count == 2 else { return false }
      return check(row[0].flatMap { Int($0) } ?? 0, row[1] ?? "")
    }
    let add = DatabaseStep.statement(
      "INSERT INTO scroll.machine (machine, name) SELECT $1::uuid, $2 "
        + "WHERE NOT EXISTS (SELECT FROM scroll.machine WHERE machine = $1::uuid)", [id, StoredText.escaped(name)])
    var read = DatabaseStep.script("SELECT \(Self.cursorColumns), name FROM scroll.machine WHERE machine = '\(id)'")
    read.check = { rows in
      guard let found = Self.cursor(in: rows) else { return false }
      cursor(found, StoredText.unescaped(rows[0].last.flatMap { $0 } ?? ""))
      return true
    }
    return [settings, add, read]
  }

  private static func cursor(in rows: [[String?]]) -> RelayCursor? {
    guard let row = rows.first, row.count >= 5, let generation = row[0].flatMap({ Int64($0) }),
      let position = row[1].flatMap({ Int64($0) })
    else { return nil }
    return RelayCursor(
      generation: generation, position: position, received: row[2].flatMap { Int64($0) }, run: sessionID(row[3]),
      forgotten: row[4])
  }

  /// Reads sessions after an id, in order.
  func candidates(after session: SessionID?, _ found: @escaping ([FollowedSession]) -> Void) -> [DatabaseStep] {
    var read = DatabaseStep.script(
      "SELECT session, given, client, uid, (extract(epoch FROM received) * 1000000)::bigint, policy FROM scroll.session "
        + "WHERE machine = '\(id)'" + (session.map { " AND session > '\(Self.uuid($0))'" } ?? "")
        + " ORDER BY session LIMIT \(Relay.candidatesPerPage)")
    read.check = { rows in
      found(rows.compactMap(Self.session))
      return true
    }
    return [read]
  }

  /// Returns the id that PostgreSQL wrote.
  static func sessionID(_ uuid: String?) -> SessionID? { uuid.flatMap { SessionID($0.filter { $0 != "-" }) } }

  private static func session(_ row: [String?]) -> FollowedSession? {
    guard row.count == 6, let id = sessionID(row[0]), let client = row[2],
      let user = row[3].flatMap({ UInt32($0) }), let received = row[4].flatMap({ Int64($0) }), let policy = row[5]
    else { return nil }
    return FollowedSession(
      id: id, given: sessionID(row[1]), client: StoredText.unescaped(client), user: user, received: received,
      policy: policy)
  }

  // MARK: Storing

  /// The steps that store a batch. The first one is refused if the database has another cursor than the batch expects.
  ///
  /// - Parameters:
  ///   - version: Gets the version of the schema, and returns whether it is the right one.
  ///   - clock: Gets the time of the database's clock, in microseconds since the Unix epoch.
  func steps(
    for batch: RelayBatch, retries: Int64, version check: @escaping (Int) -> Bool = { _ in true },
    clock: @escaping (Int64) -> Void
  ) -> [DatabaseStep] {
    let expected = batch.expected
    var lock = DatabaseStep.script(
      "BEGIN; SELECT \(Self.cursorColumns), (SELECT max(version) FROM scroll.version), "
        + "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint "
        + "FROM scroll.machine WHERE machine = '\(id)' FOR UPDATE")
    lock.check = { rows in
      guard let found = Self.cursor(in: rows) else { return false }
      // Another version may have been made since.
      if rows[0].count > 6, let version = rows[0][5].flatMap({ Int($0) }), !check(version) { return false }
      if let time = rows[0].last.flatMap({ $0.flatMap { Int64($0) } }) { clock(time) }
      return found.generation == expected.generation && found.position == expected.position
        && found.forgotten == expected.forgotten
    }
    var steps = [lock]
    if let after = batch.takenBackAfter { steps.append(mark(after: after, through: expected.generation)) }
    if !batch.gaps.isEmpty { steps.append(insert(batch.gaps, generation: batch.end.generation)) }
    if !batch.records.isEmpty {
      steps.append(
        .copy(
          "COPY scroll.record (machine, generation, position, received, session, client, uid, number, kind, time, x, y, body) "
            + "FROM STDIN (FORMAT binary)", records(of: batch)))
    }
    if batch.records.contains(where: { $0.record.change != nil }) {
      steps.append(
        .copy(
          "COPY scroll.transition (machine, generation, position, received, session, uid, time, toolbar, trigger, reach_bottom, "
            + "changed, reason) FROM STDIN (FORMAT binary)", transitions(of: batch)))
    }
    steps += sessions(of: batch)
    if !batch.forgotten.isEmpty { steps.append(forget(batch.forgotten)) }
    return steps + [advance(to: batch, retries: retries), commit]
  }

  /// Marks what a crash of the machine took back.
  private func mark(after: Position, through generation: Int64) -> DatabaseStep {
    let rows = "WHERE machine = '\(id)' AND generation <= \(generation) AND position > \(after) AND stands"
    return .script(
      """
      UPDATE scroll.record SET stands = false \(rows);
      UPDATE scroll.transition SET stands = false \(rows);
      UPDATE scroll.session SET closed = NULL, closed_position = NULL, reason = NULL, events = NULL, duration = NULL,
        reach = NULL, flips = NULL, flickers = NULL WHERE machine = '\(id)' AND closed_position > \(after);
      UPDATE scroll.session SET stands = false WHERE machine = '\(id)' AND opened_position > \(after) AND stands
      """)
  }

  private func insert(_ gaps: [ClosedRange<Position>], generation: Int64) -> DatabaseStep {
    let values = gaps.map { "('\(id)', \(generation), \($0.lowerBound), \($0.upperBound))" }
    return .script("INSERT INTO scroll.gap (machine, generation, first, last) VALUES \(values.joined(separator: ", "))")
  }

  private func records(of batch: RelayBatch) -> [UInt8] {
    var rows = CopyRows(reserving: 192 * batch.records.count)
    for entry in batch.records {
      let record = entry.record
      rows.beginRow(columns: 13)
      rows.uuid(machine)
      rows.bigint(entry.generation)
      rows.bigint(record.position)
      rows.timestamp(record.received)
      rows.uuid(record.session)
      rows.text(StoredText.escaped(entry.client))
      rows.bigint(Int64(entry.user))
      rows.bigint(record.number)
      rows.text(record.kind)
      rows.timestamp(record.time)
      rows.double(record.x)
      rows.double(record.y)
      rows.jsonb(record.body)
    }
    rows.finish()
    return rows.bytes
  }

  private func transitions(of batch: RelayBatch) -> [UInt8] {
    var rows = CopyRows()
    for entry in batch.records {
      guard let change = entry.record.change else { continue }
      rows.beginRow(columns: 12)
      rows.uuid(machine)
      rows.bigint(entry.generation)
      rows.bigint(entry.record.position)
      rows.timestamp(entry.record.received)
      rows.uuid(entry.record.session)
      rows.bigint(Int64(entry.user))
      rows.timestamp(entry.record.time)
      rows.text(change.toolbar)
      rows.text(change.trigger)
      rows.boolean(change.reachBottom)
      rows.texts(change.changed)
      rows.text(change.reason.map(StoredText.escaped))
    }
    rows.finish()
    return rows.bytes
  }

  // MARK: Sessions

  /// The columns that the JSON of sessions has, with their types.
  private static let sessionColumns =
    "session uuid, given uuid, client text, uid bigint, application text, title text, policy text, received bigint, opened bigint, "
    + "opened_position bigint, closed bigint, closed_position bigint, reason text, events bigint, duration bigint, "
    + "reach double precision, flips bigint, flickers bigint"

  private func sessions(of batch: RelayBatch) -> [DatabaseStep] {
    let list = sessionList(of: batch)
    guard let list else { return [] }
    let source = "jsonb_to_recordset($1::jsonb) AS n(\(Self.sessionColumns))"
    func time(_ column: String) -> String { "timestamptz 'epoch' + n.\(column) * interval '1 microsecond'" }
    let duration = "n.duration * interval '1 microsecond'"
    // Not ON CONFLICT, which tables on other servers don't have. The machine's row is locked, so nobody else adds sessions.
    let update = DatabaseStep.statement(
      """
      UPDATE scroll.session AS s SET application = coalesce(n.application, s.application), title = coalesce(n.title, s.title),
        opened = coalesce(\(time("opened")), s.opened), opened_position = coalesce(n.opened_position, s.opened_position),
        closed = coalesce(\(time("closed")), s.closed), closed_position = coalesce(n.closed_position, s.closed_position),
        reason = coalesce(n.reason, s.reason), events = coalesce(n.events, s.events),
        duration = coalesce(\(duration), s.duration), reach = coalesce(n.reach, s.reach), flips = coalesce(n.flips, s.flips),
        flickers = coalesce(n.flickers, s.flickers), stands = s.stands OR n.opened_position IS NOT NULL
      FROM \(source) WHERE s.machine = '\(id)' AND s.session = n.session
      """, [list])
    let insert = DatabaseStep.statement(
      """
      INSERT INTO scroll.session (machine, session, given, client, uid, application, title, policy, received, opened, opened_position,
        closed, closed_position, reason, events, duration, reach, flips, flickers)
      SELECT '\(id)', n.session, n.given, n.client, n.uid, n.application, n.title, n.policy, \(time("received")), \(time("opened")),
        n.opened_position, \(time("closed")), n.closed_position, n.reason, n.events, \(duration), n.reach, n.flips, n.flickers
      FROM \(source) WHERE NOT EXISTS (SELECT FROM scroll.session AS s WHERE s.machine = '\(id)' AND s.session = n.session)
        AND n.client IS NOT NULL
      """, [list])
    return [update, insert]
  }

  /// The sessions that were described, opened or closed, as a JSON array; `nil` for none.
  private func sessionList(of batch: RelayBatch) -> String? {
    var rows: [SessionID: SessionRow] = [:]
    var order: [SessionID] = []
    func change(_ id: SessionID, _ body: (inout SessionRow) -> Void) {
      if rows[id] == nil { order.append(id) }
      body(&rows[id, default: SessionRow()])
    }
    for session in batch.sessions { change(session.id) { $0.described = session } }
    for entry in batch.records where entry.record.kind == "open" || entry.record.kind == "close" {
      change(entry.record.session) { row in
        if entry.record.kind == "open" { row.opening = entry.record } else { row.closing = entry.record }
      }
    }
    if order.isEmpty { return nil }
    let bytes = JSONWriter.encode { writer in
      writer.beginArray()
      for id in order { rows[id]?.write(id, to: &writer) }
      writer.endArray()
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private struct SessionRow {
    var described: FollowedSession?
    var opening: FollowedRecord?
    var closing: FollowedRecord?

    func write(_ id: SessionID, to writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("session", "\(id)")
      if let described {
        writer.member("given", ifPresent: described.given.map { "\($0)" })
        writer.member("client", StoredText.escaped(described.client))
        writer.member("uid", Int64(described.user))
        writer.member("policy", StoredText.escaped(described.policy))
        writer.member("received", described.received)
      }
      if let opening {
        writer.member("application", ifPresent: opening.application.map(StoredText.escaped))
        writer.member("title", ifPresent: opening.title.map(StoredText.escaped))
        writer.member("opened", opening.time)
        writer.member("opened_position", opening.position)
      }
      if let closing {
        writer.member("closed", closing.time)
        writer.member("closed_position", closing.position)
        writer.member("reason", ifPresent: closing.closingReason)
        if let summary = closing.summary {
          writer.member("events", summary.events)
          writer.member("duration", ifPresent: summary.duration)
          writer.member("reach", ifPresent: summary.reach)
          writer.member("flips", ifPresent: summary.flips)
          writer.member("flickers", ifPresent: summary.flickers)
        }
      }
      writer.endObject()
    }
  }

  private func forget(_ sessions: [SessionID]) -> DatabaseStep {
    let list = "'{\(sessions.map { "\($0)" }.joined(separator: ","))}'::uuid[]"
    let rows = "WHERE machine = '\(id)' AND session = ANY (\(list))"
    return .script(
      """
      DELETE FROM scroll.record \(rows);
      DELETE FROM scroll.transition \(rows);
      DELETE FROM scroll.session \(rows);
      INSERT INTO scroll.forgotten (machine, session) SELECT '\(id)', s FROM unnest(\(list)) AS s
        WHERE NOT EXISTS (SELECT FROM scroll.forgotten WHERE machine = '\(id)' AND session = s)
      """)
  }

  // MARK: The end

  private func advance(to batch: RelayBatch, retries: Int64) -> DatabaseStep {
    let end = batch.end
    let last = batch.records.last?.record.received
    return .statement(
      """
      UPDATE scroll.machine SET name = $1, generation = $2::bigint, position = $3::bigint,
        received = timestamptz 'epoch' + $4::bigint * interval '1 microsecond', forgotten = $5, run = coalesce($10::uuid, run),
        seen = clock_timestamp(),
        lag = coalesce(clock_timestamp() - (timestamptz 'epoch' + $6::bigint * interval '1 microsecond'), lag),
        records = records + $7::bigint, retries = $8::bigint, version = $9 WHERE machine = '\(id)'
      """,
      [
        StoredText.escaped(name), "\(end.generation)", "\(end.position)", end.received.map { "\($0)" }, end.forgotten,
        last.map { "\($0)" }, "\(batch.records.count)", "\(retries)", version, end.run.map(Self.uuid),
      ])
  }

  private var commit: DatabaseStep {
    var step = DatabaseStep.script("COMMIT")
    step.commits = true
    return step
  }
}
