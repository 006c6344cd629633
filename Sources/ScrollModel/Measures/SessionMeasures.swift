/// What a session comes to: how long it was, how far the user read, and how often the toolbar turned.
///
/// Add each event after it was folded:
///
///     var measures = SessionMeasures()
///     let step = policy.step(&state, event)
///     measures.add(event, step, state)
public struct SessionMeasures: Equatable, Sendable {
  /// How soon a flip must be undone to be a flicker, in microseconds: 300 ms.
  public static let flickerTime: Int64 = 300_000

  /// The client's clock.
  public private(set) var clock = SessionClock()
  /// How often the toolbar turned, in either direction.
  public private(set) var flips: Int64 = 0
  /// The flips that undid another one within ``flickerTime``.
  public private(set) var flickers: Int64 = 0
  /// How much of the content was ever on screen, from 0 to 1: the greatest (c + frameHeight + insetBottom) /
  /// (contentHeight + insetTop + insetBottom), c the offset within the bounds; `nil` until offset and sizes are known.
  public private(set) var reach: Double?
  /// When the toolbar last turned, by the clock; `nil` if it has not, or if the clock was set back since.
  public private(set) var lastFlip: Int64?

  /// Creates the measures of a session without events.
  public init() {}

  /// Creates measures from their parts.
  public init(clock: SessionClock, flips: Int64, flickers: Int64, reach: Double?, lastFlip: Int64?) {
    self.clock = clock
    self.flips = flips
    self.flickers = flickers
    self.reach = reach
    self.lastFlip = lastFlip
  }

  /// The time from the first event to the last, in microseconds.
  public var duration: Int64 { clock.elapsed }

  /// Returns the time from the first event to a closing, in microseconds. A closing by another clock, which is before the
  /// last event, does not count.
  public func duration(closedAt time: Int64) -> Int64 { clock.elapsed(until: time) }

  /// Counts an event after it was folded.
  @inline(__always)
  public mutating func add(_ event: Event, _ step: Policy.Step, _ state: FoldState) {
    let now = clock.advance(to: event.time)
    if clock.wasSetBack { lastFlip = nil }
    if step.changed.contains(.toolbar) {
      flips += 1
      if let lastFlip, now - lastFlip <= Self.flickerTime { flickers += 1 }
      lastFlip = now
    }
    if reach != 1, !event.kind.isZoom { addReach(state.geometry) }
  }

  @inline(__always)
  private mutating func addReach(_ geometry: Geometry) {
    guard let y = geometry.y, let content = geometry.contentHeight, let frame = geometry.frameHeight, frame > 0 else {
      return
    }
    let whole = content + geometry.insetTop + geometry.insetBottom
    guard whole > 0 else { return }
    let low = -geometry.insetTop
    let high = max(low, content + geometry.insetBottom - frame)
    let seen = min(max(y, low), high) + frame + geometry.insetBottom
    // A division only where it changes the result.
    if let reach, seen <= reach * whole { return }
    reach = min(1, max(0, seen / whole))
  }
}
