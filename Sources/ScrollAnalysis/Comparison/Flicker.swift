import ScrollModel

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

/// Finds the flickers of a policy in a session.
struct FlickerDetector {
  /// When the toolbar last turned; `nil` if it has not, or if the clock was set back since and nobody knows how long ago.
  private var lastFlip: Int64?

  /// Counts an event.
  ///
  /// - Parameters:
  ///   - clock: The session's clock, advanced to the event.
  ///   - turned: Whether the event turned the toolbar.
  /// - Returns: How long the toolbar had been turned, in microseconds, if the event turned it back within
  ///   ``PolicyTally/flickerTime``; else `nil`.
  mutating func add(_ clock: SessionClock, turned: Bool) -> Int64? {
    if clock.wasSetBack { lastFlip = nil }
    guard turned else { return nil }
    defer { lastFlip = clock.elapsed }
    guard let lastFlip, clock.elapsed - lastFlip <= PolicyTally.flickerTime else { return nil }
    return clock.elapsed - lastFlip
  }
}
