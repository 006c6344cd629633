import ScrollModel

/// Measures a session event by event.
///
///     var meter = ReadingMeter(policy: .safari)
///     for event in events { meter.add(event) }
///     meter.close(at: closing)
///     print(meter.reading.activeTime)
///
/// Samples are `scroll`, `dragBegin`, `dragEnd`, `scrollEnd` and `layout` events once an offset is known. The meter's size does
/// not depend on the session's length, except for one entry per flicker.
public struct ReadingMeter: Sendable {
  /// The number of the content's parts unless another one is given.
  public static let standardBands = 100
  /// The longest interval that counts as reading unless another one is given: 30 s.
  public static let standardIdle: Int64 = 30_000_000

  private let policy: Policy
  /// The session's state after the events so far, under the policy.
  public private(set) var state = FoldState()
  private var tally: PolicyTally
  private var hidden = HiddenShare()
  private var attention: AttentionMeter
  private var extent = ReachMeter()
  private var motion = MotionMeter()
  private var span: (first: Int64, last: Int64)?
  private var events = 0
  private var bottomReached: Int64?

  /// Creates a meter.
  ///
  /// - Parameters:
  ///   - policy: The policy of the toolbar.
  ///   - bands: The number of equal parts of the content, ≥ 1.
  ///   - idle: The longest interval that counts as reading, in microseconds, ≥ 0. Longer ones count as this long.
  public init(policy: Policy, bands: Int = standardBands, idle: Int64 = standardIdle) {
    self.policy = policy
    tally = PolicyTally(policy)
    attention = AttentionMeter(bands: max(1, bands), idle: max(0, idle))
  }

  /// Measures a complete session.
  ///
  /// - Parameter closed: The time of the closing; `nil` without one.
  public static func read(
    _ events: [Event], closed: Int64? = nil, policy: Policy, bands: Int = standardBands, idle: Int64 = standardIdle
  ) -> Reading {
    var meter = ReadingMeter(policy: policy, bands: bands, idle: idle)
    for event in events { meter.add(event) }
    if let closed { meter.close(at: closed) }
    return meter.reading
  }

  /// Measures the session's next event, and returns what it changed under the policy.
  @discardableResult
  public mutating func add(_ event: Event) -> Policy.Step {
    let step = policy.step(&state, event)
    tally.add(event, step, state, session: 0, index: events)
    hidden.advance(to: event.time, isHidden: state.toolbar == .hidden)
    events += 1
    let first = span?.first ?? event.time
    span = (first, event.time)
    let sinceStart = max(0, event.time - first)
    if state.reachBottom, bottomReached == nil { bottomReached = sinceStart }
    if !event.kind.isZoom, let y = state.geometry.y {
      let view = ContentView(state.geometry)
      attention.add(time: event.time, view)
      if let view { extent.add(view, at: sinceStart) }
      motion.add(event, y: y)
    }
    return step
  }

  /// Ends the session at the time of its closing.
  public mutating func close(at time: Int64) {
    guard let first = span?.first else { return }
    span = (first, time)
    attention.close(at: time)
    hidden.advance(to: time, isHidden: state.toolbar == .hidden)
  }

  /// The measures of the session so far.
  public var reading: Reading {
    var reading = Reading()
    reading.events = events
    if let span { reading.duration = max(0, span.last - span.first) }
    reading.activeTime = attention.activeTime
    reading.backwardSteps = attention.backwardSteps
    reading.bands = attention.bands
    reading.reach = extent.reach
    reading.scrolled = extent.scrolled
    reading.reached25 = extent.reached[0]
    reading.reached50 = extent.reached[1]
    reading.reached75 = extent.reached[2]
    reading.reached90 = extent.reached[3]
    reading.reached100 = extent.reached[4]
    reading.bottomReached = bottomReached
    reading.distance = motion.distance
    reading.distanceUp = motion.distanceUp
    reading.regressions = motion.regressions
    reading.meanSpeed = motion.meanSpeed
    reading.maxSpeed = motion.maxSpeed
    reading.minAcceleration = motion.acceleration?.lowerBound
    reading.maxAcceleration = motion.acceleration?.upperBound
    reading.toolbarHidden = hidden.share
    reading.flips = tally.flips
    reading.flickers = tally.flickers.count
    return reading
  }
}

/// The share of a session's time with the toolbar hidden, by a ``SessionClock``.
private struct HiddenShare {
  private var clock = SessionClock()
  private var hidden: Int64 = 0
  private var wasHidden = false

  /// The share; `nil` for a session that takes no time.
  var share: Double? { clock.elapsed > 0 ? Double(hidden) / Double(clock.elapsed) : nil }

  mutating func advance(to time: Int64, isHidden: Bool) {
    let before = clock.elapsed
    let now = clock.advance(to: time)
    if wasHidden { hidden += now - before }
    wasHidden = isHidden
  }
}
