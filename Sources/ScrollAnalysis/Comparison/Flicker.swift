/// A flip of the toolbar that undid another one so soon that the user sees a flicker.
public struct Flicker: Equatable, Sendable {
  /// The session's index.
  public var session: Int
  /// The index, in its session, of the event that turned the toolbar back.
  public var event: Int
  /// That event's time, in microseconds since 1970.
  public var time: Int64
  /// How long the toolbar had been turned, in microseconds.
  public var elapsed: Int64
}
