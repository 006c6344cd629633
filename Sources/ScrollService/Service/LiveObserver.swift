// Tells subscribers what the fold does, as it does it.

import ScrollLog
import ScrollModel

/// Tells live subscribers, and clients that wait for requests, what the fold of a new block does.
struct LiveObserver: ProjectionObserver {
  private let service: Service
  /// The session of the events before, and who watches it: events come in runs.
  private var session: SessionID?
  private var watchers: [Watcher] = []
  /// The sessions that were closed.
  private(set) var closedSessions: [SessionID] = []

  init(_ service: Service) {
    self.service = service
  }

  mutating func opened(_ session: Session, at place: RecordPlace) {
    service.pushOpened(session, at: place)
    self.session = nil
  }

  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    if self.session != session.id {
      self.session = session.id
      watchers = service.watchers[session.id] ?? []
    }
    if watchers.isEmpty { return }
    service.pushStep(session, step, at: place, to: watchers)
  }

  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    service.pushRequest(session, request, at: place)
  }

  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    guard let entry = service.intakeSession(session.id) else { return }
    entry.removeRequest(at: response.request)
    if let stream = entry.requestStream { service.changedAtRest.append(stream.connection) }
  }

  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    service.pushClosed(session, closing, at: place)
    closedSessions.append(session.id)
    self.session = nil
  }
}
