import ScrollAnalysis
import ScrollModel

/// Collects sessions for a report. It keeps the events of open sessions, and of the only one that has ended.
final class ReportSessions: SessionSink {
  /// A session with its events.
  final class Session {
    fileprivate let head: SessionHead
    fileprivate var meter: ReadingMeter
    fileprivate var events: [Event] = []
    fileprivate var numbers: [Int64] = []
    fileprivate var closed: Int64?

    fileprivate init(_ head: SessionHead, under policy: Policy) {
      self.head = head
      meter = ReadingMeter(policy: policy)
    }
  }

  /// The policies to show; the session's own if empty.
  private let policies: [Policy]
  private let change: (Policy) throws -> Policy
  private var only: Session?
  private var rows: [(key: Int64, row: PopulationReport.Row)] = []

  /// Creates a collection.
  ///
  /// - Parameters:
  ///   - policies: The policies of a single session's page, or the one of several sessions; their own if empty.
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
      return PopulationReport(rows.sorted { $0.key < $1.key }.map(\.row), policy: policies.first?.name).html
    }
    let policies = policies.isEmpty ? [try change(only.head.policy)] : policies
    return SessionReport(
      Self.subject(only.head), only.events, numbers: only.numbers, numbersAreLines: only.head.path != nil,
      closed: only.closed,
      reading: only.meter.reading, policies: policies
    ).html
  }

  func begin(_ head: SessionHead) throws -> Session {
    Session(head, under: try policies.first ?? change(head.policy))
  }

  func add(_ event: Event, at place: EventPlace, to session: Session) {
    session.meter.add(event)
    session.events.append(event)
    session.numbers.append(place.number)
  }

  func end(_ session: Session, _ end: SessionEnd) {
    if let closed = end.closed { session.meter.close(at: closed) }
    session.closed = end.closed
    let subject = Self.subject(session.head)
    rows.append(
      (
        session.head.key,
        PopulationReport.Row(subject, session.events, closed: end.closed, reading: session.meter.reading)
      ))
    only = rows.count == 1 ? session : nil
  }

  private static func subject(_ head: SessionHead) -> ReportSubject {
    ReportSubject(
      name: head.name, title: head.title, application: head.application, client: head.client,
      session: head.id?.description, opened: head.opened)
  }
}
