import ScrollLog
import ScrollModel

/// Collects the sessions that a fold sees closed, as the service does for the list of segments.
struct Closings: ProjectionObserver {
  private(set) var sessions: [ClosedSession] = []

  mutating func opened(_ session: Session, at place: RecordPlace) {}
  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {}
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    sessions.append(ClosedSession(session))
  }
}
