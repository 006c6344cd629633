import ScrollAnalysis
import ScrollModel

/// Collects sessions for a report. It keeps the events of open sessions, and of the only one that has ended.
final class ReportSessions: SessionSink {
  private struct Session {
    let head: SessionHead
    var meter: ReadingMeter
    var events: [Event] = []
    var numbers: [Int64] = []
    var closed: Int64?
  }

  private let policies: [Policy]
  private let change: (Policy) throws -> Policy
  private var open: [Int64: Session] = [:]
  private var only: Session?
  private var rows: [(key: Int64, row: PopulationReport.Row)] = []

  /// Creates a collection.
  ///
  /// - Parameters:
  ///   - policies: The policies of a single session's page; its own if empty.
  ///   - change: Changes a session's own policy.
  init(policies: [Policy], change: @escaping (Policy) throws -> Policy) {
    self.policies = policies
    self.change = change
  }

  /// The number of sessions.
  var count: Int { rows.count }

  /// The page about the sessions.
  func html() throws -> String {
    guard rows.count == 1, let only else {
      return PopulationReport(rows.sorted { $0.key < $1.key }.map(\.row)).html
    }
    return SessionReport(
      Self.subject(only.head), only.events, numbers: only.numbers, closed: only.closed, reading: only.meter.reading,
      policies: policies.isEmpty ? [try change(only.head.policy)] : policies
    ).html
  }

  func begin(_ session: SessionHead) {
    open[session.key] = Session(head: session, meter: ReadingMeter(policy: session.policy))
  }

  func add(_ event: Event, at place: EventPlace, to key: Int64) {
    open[key]?.meter.add(event)
    open[key]?.events.append(event)
    open[key]?.numbers.append(place.number)
  }

  func end(_ key: Int64, _ end: SessionEnd) {
    guard var session = open.removeValue(forKey: key) else { return }
    if let closed = end.closed { session.meter.close(at: closed) }
    session.closed = end.closed
    let subject = Self.subject(session.head)
    rows.append(
      (key, PopulationReport.Row(subject, session.events, closed: end.closed, reading: session.meter.reading)))
    only = rows.count == 1 ? session : nil
  }

  func discard(_ key: Int64) { open[key] = nil }

  private static func subject(_ head: SessionHead) -> ReportSubject {
    ReportSubject(
      name: head.name, title: head.title, application: head.application, client: head.client,
      session: head.id?.description, opened: head.opened)
  }
}
