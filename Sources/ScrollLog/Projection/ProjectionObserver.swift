import ScrollModel

/// Where a record stands, and when the daemon got it.
public struct RecordPlace: Equatable, Sendable {
  /// The record's position.
  public var position: Position
  /// When the daemon got it, microseconds since the Unix epoch.
  public var received: Int64

  /// A place of its parts.
  public init(position: Position, received: Int64) {
    self.position = position
    self.received = received
  }
}

/// Who is told, record by record, what a fold does. Each call comes after the record took effect.
public protocol ProjectionObserver {
  /// A session began.
  mutating func opened(_ session: Session, at place: RecordPlace)

  /// An event was folded into its session. It is a transition when `step.changed` is not empty.
  mutating func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace)

  /// Somebody asked a session's client to scroll.
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace)

  /// A session's client answered a request.
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace)

  /// A session ended; the projection no longer holds it.
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace)
}

/// Nobody: for a fold of which only the end matters.
public struct NoObserver: ProjectionObserver {
  /// An observer that does nothing.
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
