import ScrollModel

/// The position of a record, and when the daemon received it.
public struct RecordPlace: Equatable, Sendable {
  /// The record's position.
  public var position: Position
  /// When the daemon received the record, microseconds since the Unix epoch.
  public var received: Int64

  /// Creates a place.
  public init(position: Position, received: Int64) {
    self.position = position
    self.received = received
  }
}

/// A receiver of what a fold does, record by record. Each method is called after its record took effect.
public protocol ProjectionObserver {
  /// A session was opened.
  mutating func opened(_ session: Session, at place: RecordPlace)

  /// An event was folded into its session. It caused a transition if `step.changed` is not empty.
  mutating func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace)

  /// An event was passed by a fold that computes no states.
  mutating func passed(_ session: Session, _ event: Event, number: Int64, at place: RecordPlace)

  /// A request to scroll was sent to the client of a session.
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace)

  /// The client of a session answered a request.
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace)

  /// A session was closed; the projection no longer holds it.
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace)

  /// The place where a session was closed that has been forgotten. The log has nothing else of it.
  mutating func forgot(_ session: SessionID, at place: RecordPlace)
}

extension ProjectionObserver {
  /// Does nothing, since most folds compute states.
  public mutating func passed(_ session: Session, _ event: Event, number: Int64, at place: RecordPlace) {}

  /// Does nothing, since a fold does not miss what the log no longer has.
  public mutating func forgot(_ session: SessionID, at place: RecordPlace) {}
}

/// An observer that does nothing, for a fold whose final state is all that matters.
public struct NoObserver: ProjectionObserver {
  /// Creates the observer.
  public init() {}

  /// Does nothing.
  public mutating func opened(_ session: Session, at place: RecordPlace) {}
  /// Does nothing.
  public mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {}
  /// Does nothing.
  public mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  /// Does nothing.
  public mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  /// Does nothing.
  public mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {}
}
