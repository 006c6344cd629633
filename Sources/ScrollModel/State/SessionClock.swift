/// The time since a session's first event, which never runs backwards although the client's clock can.
///
///     var clock = SessionClock()
///     for event in events { print(clock.advance(to: event.time)) }
///
/// After a small step back, as from callbacks that were stored out of order, time stands still until the client's clock has
/// caught up. After a larger one, somebody has set the clock: time continues from the new reading, and how long the step
/// itself took is unknown and counts as nothing.
public struct SessionClock: Equatable, Sendable {
  /// The largest step back that counts as disorder, in microseconds: 1 s.
  public static let largestDisorder: Int64 = 1_000_000

  /// The time since the first event, in microseconds, ≥ 0.
  public private(set) var elapsed: Int64 = 0
  /// Whether the clock was set back right before the last event.
  public private(set) var wasSetBack = false

  /// The range of an event's time. Sums of times outside it could overflow.
  private static let valid: ClosedRange<Int64> = 0...(1 << 53)

  /// The client's clock at the latest event; `nil` before the first one.
  public private(set) var reading: Int64?

  /// Creates a clock that its first event starts.
  public init() {}

  /// Creates a clock that continues another one.
  public init(elapsed: Int64, reading: Int64?, wasSetBack: Bool) {
    self.elapsed = elapsed
    self.reading = reading
    self.wasSetBack = wasSetBack
  }

  /// Advances to an event, and returns the time since the first one.
  ///
  /// - Parameter time: The event's time, in microseconds since the Unix epoch, by the client's clock.
  @discardableResult
  public mutating func advance(to time: Int64) -> Int64 {
    let time = min(max(time, Self.valid.lowerBound), Self.valid.upperBound)
    let last = reading ?? time
    wasSetBack = time < last - Self.largestDisorder
    let (sum, overflow) = elapsed.addingReportingOverflow(max(0, time - last))
    elapsed = overflow ? .max : sum
    reading = wasSetBack ? time : max(last, time)
    return elapsed
  }

  /// Returns the time from the first event to a closing, in microseconds. A closing by another clock, which is before the last
  /// event, does not count.
  public func elapsed(until closing: Int64) -> Int64 {
    guard let reading, closing > reading else { return elapsed }
    var clock = self
    return clock.advance(to: closing)
  }
}
