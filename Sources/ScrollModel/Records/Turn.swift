/// The event that last turned a session's toolbar: when, why, and what the state was after it.
///
/// With it, the events since then suffice to explain why the toolbar is as it is.
public struct Turn: Equatable, Sendable {
  /// The event's position in the log.
  public var position: Position
  /// The event's number in its session.
  public var number: Int64
  /// The event's time, in microseconds since the Unix epoch.
  public var time: Int64
  /// The event's kind.
  public var kind: Event.Kind
  /// The clause that decided.
  public var reason: Reason
  /// The session's clock at the event.
  public var clock: SessionClock
  /// The state after the event.
  public var state: FoldState

  /// Creates the turn that an event caused.
  public init(
    position: Position, number: Int64, time: Int64, kind: Event.Kind, reason: Reason, clock: SessionClock,
    state: FoldState
  ) {
    self.position = position
    self.number = number
    self.time = time
    self.kind = kind
    self.reason = reason
    self.clock = clock
    self.state = state
  }
}
