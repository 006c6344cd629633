/// A flip of the toolbar that undid another one so soon that the user sees a flicker.
public struct Flicker: Equatable, Sendable {
  /// The session's index.
  public var session: Int
  /// The index, in its session, of the event that turned the toolbar back.
  public var event: Int
  /// That event's time, in microseconds since the Unix epoch.
  public var time: Int64
  /// The time since the session's first event, in microseconds, ≥ 0.
  public var sinceStart: Int64
  /// How long the toolbar had been turned, in microseconds, ≥ 0.
  public var elapsed: Int64
}
