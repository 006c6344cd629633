import ScrollAnalysis
import ScrollJSON
import ScrollModel

/// Where tables are written.
enum TablePlace {
  /// An SQLite file.
  case sqlite(String, replaces: Bool)
  /// A directory of CSV files.
  case csv(String, replaces: Bool)

  var path: String {
    switch self {
    case .sqlite(let path, replaces: _), .csv(let path, replaces: _): path
    }
  }

  /// Creates empty tables, which do not appear under their name yet.
  func create() throws -> any TableSet {
    switch self {
    case .sqlite(let path, let replaces): try SQLiteTables(path, replaces: replaces)
    case .csv(let path, let replaces): try CSVTables(path, replaces: replaces)
    }
  }
}

/// Writes sessions to tables.
final class TableExport: SessionSink {
  /// An open session.
  final class Session {
    fileprivate let head: SessionHead
    fileprivate var meter: ReadingMeter

    fileprivate init(_ head: SessionHead) {
      self.head = head
      meter = ReadingMeter(policy: head.policy)
    }
  }

  /// The number of events and sessions that were written.
  private(set) var events: Int64 = 0
  private(set) var sessions: Int64 = 0

  private let tables: any TableSet
  private let thread: RowThread
  private let session: TableRows
  private let event: TableRows
  private let transition: TableRows
  private let reading: TableRows
  private let band: TableRows

  init(_ tables: any TableSet) throws {
    self.tables = tables
    thread = try RowThread(tables)
    session = TableRows(of: .session, to: thread)
    event = TableRows(of: .event, to: thread)
    transition = TableRows(of: .transition, to: thread)
    reading = TableRows(of: .reading, to: thread)
    band = TableRows(of: .band, to: thread)
  }

  deinit { thread.stop(discards: true) }

  /// Makes the tables durable, and gives them their names.
  func commit() throws {
    for rows in [session, event, transition, reading, band] { try rows.finish() }
    try thread.finish()
    try tables.commit()
  }

  func begin(_ head: SessionHead) -> Session { Session(head) }

  func add(_ event: Event, at place: EventPlace, to session: Session) throws {
    events += 1
    try write(event, place, session.head.key)
    let step = session.meter.add(event)
    if step.changed.isEmpty { return }
    try write(step, session.meter.state, event, session.head.key)
  }

  func end(_ session: Session, _ end: SessionEnd) throws {
    if let closed = end.closed { session.meter.close(at: closed) }
    let reading = session.meter.reading
    try write(session.head, end, events: reading.events)
    try write(reading, session.head.key)
    sessions += 1
  }

  func abandon() {
    thread.stop(discards: true)
    tables.discard()
  }

  // MARK: Rows

  private func write(_ event: Event, _ place: EventPlace, _ key: Int64) throws {
    try self.event.add { row in
      row.set(0, events)
      row.set(1, key)
      row.set(2, place.number)
      if let position = place.position { row.set(3, position) }
      if let received = place.received { row.set(4, received) }
      row.set(5, event.time)
      row.set(6, event.kind.name)
      var rest = event.fields
      while let field = rest.popFirst() {
        let column = Table.eventHead + Int(field.rawValue)
        switch field.valueType {
        case .number: if let value = event[number: field] { row.set(column, value) }
        case .flag: if let value = event[flag: field] { row.set(column, value ? 1 : 0 as Int64) }
        case .source: if let source = event.source { row.set(column, source.name) }
        }
      }
    }
  }

  private func write(_ step: Policy.Step, _ state: FoldState, _ event: Event, _ key: Int64) throws {
    let row = transition
    row.set(0, events)
    row.set(1, key)
    row.set(2, event.time)
    row.set(3, state.toolbar.name)
    if let trigger = state.trigger { row.set(4, trigger.name) }
    row.set(5, state.reachBottom ? 1 : 0 as Int64)
    row.set(6, state.bottomLatch ? 1 : 0 as Int64)
    row.set(7, state.topButton ? 1 : 0 as Int64)
    if let index = state.pager.index { row.set(8, Int64(index)) }
    if let count = state.pager.count { row.set(9, Int64(count)) }
    row.set(10, step.changed.names.joined(separator: " "))
    if let reason = step.reason { row.set(11, reason.description) }
    try row.endRow()
  }

  private func write(_ head: SessionHead, _ end: SessionEnd, events: Int) throws {
    let row = self.session
    row.set(0, head.key)
    if let id = head.id { row.set(1, id.description) }
    if let client = head.client { row.set(2, client) }
    if let user = head.user { row.set(3, Int64(user)) }
    if let application = head.application { row.set(4, application) }
    if let title = head.title { row.set(5, title) }
    if let path = head.path { row.set(6, path) }
    row.set(7, head.policy.name)
    row.set(8, head.policy.rule.name)
    row.set(9, head.policy.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
    if let opened = head.opened { row.set(10, opened) }
    if let closed = end.closed { row.set(11, closed) }
    if let reason = end.reason { row.set(12, reason.name) }
    row.set(13, Int64(events))
    try row.endRow()
  }

  private func write(_ reading: Reading, _ key: Int64) throws {
    let row = self.reading
    row.set(0, key)
    for (index, measure) in Reading.Measure.allCases.enumerated() {
      switch reading[measure] {
      case .integer(let value): row.set(index + 1, value)
      case .number(let value): row.set(index + 1, value)
      case .word(let word): row.set(index + 1, word)
      case nil: break
      }
    }
    try row.endRow()
    for (index, time) in (reading.bands ?? []).enumerated() {
      band.set(0, key)
      band.set(1, Int64(index + 1))
      band.set(2, time)
      try band.endRow()
    }
  }
}
