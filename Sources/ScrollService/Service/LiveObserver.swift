import ScrollLog
import ScrollModel

/// The observer of a new block's fold, which notifies live subscribers and sessions' requests, and writes to the
/// journal.
///
/// A class, since the fold passes it on, and copies of it would take longer than the fold of an event.
final class LiveObserver: ProjectionObserver {
  private let subscriptions: Subscriptions
  private let sessions: Sessions
  private let journal: SessionJournal
  /// The session of the previous event, and its watchers: events come in runs.
  private var session: SessionID?
  private var watchers: [(Audience, SessionWatchers)] = []
  /// The sessions that the block closes.
  private(set) var closedSessions: [ClosedSession] = []

  init(_ subscriptions: Subscriptions, _ sessions: Sessions, _ journal: SessionJournal) {
    self.subscriptions = subscriptions
    self.sessions = sessions
    self.journal = journal
    subscriptions.beginBlock()
  }

  func opened(_ session: Session, at place: RecordPlace) {
    journal.opened(session, at: place.position)
    subscriptions.pushOpened(session, at: place)
    self.session = nil
  }

  func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    if self.session != session.id {
      self.session = session.id
      watchers = subscriptions.watchers(of: session)
    }
    if watchers.isEmpty { return }
    subscriptions.pushStep(session, step, at: place, to: watchers)
  }

  func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    sessions.add(request, to: session.id, at: place.position)
  }

  func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    sessions.removeRequest(of: session.id, at: response.request)
  }

  func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    journal.closed(session, closing.reason, at: place.position)
    sessions.didClose(session.id)
    subscriptions.pushClosed(session, closing, at: place)
    closedSessions.append(ClosedSession(session))
    self.session = nil
  }
}
