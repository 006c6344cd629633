import ScrollModel

/// A policy's numbers over some sessions. Times are in microseconds by the clients' clocks, read by a ``SessionClock``, so
/// that none is negative.
public struct PolicyTally: Sendable {
  /// The longest gap between two events that still counts as scrolling: 1 s.
  public static let longestScrollingGap: Int64 = 1_000_000
  /// How soon a flip must be undone to be a flicker: 300 ms.
  public static let flickerTime = SessionMeasures.flickerTime

  /// The policy.
  public let policy: Policy
  /// How often the toolbar turned, in either direction.
  public private(set) var flips = 0
  /// The flips that undid another one within ``flickerTime``, in order.
  public private(set) var flickers: [Flicker] = []
  /// How long the toolbar was hidden.
  public private(set) var hidden: Int64 = 0
  /// How long the sessions were, from their first event to their last, or to their closing.
  public private(set) var duration: Int64 = 0
  /// How long the user scrolled: the gaps of at most ``longestScrollingGap`` between one event of scrolling (`dragBegin`,
  /// `scroll`, `dragEnd`, `scrollEnd`) and the next.
  public private(set) var scrolling: Int64 = 0

  /// Flips per minute of scrolling; `nil` without any scrolling.
  public var flipsPerMinute: Double? {
    scrolling > 0 ? Double(flips) * 60_000_000 / Double(scrolling) : nil
  }

  private var clock = SessionClock()
  private var lastScroll: Int64?
  private var detector = FlickerDetector()
  private var wasHidden = false

  init(_ policy: Policy) { self.policy = policy }

  /// Begins another session, whose clock is unrelated to the previous one's.
  mutating func beginSession() {
    clock = SessionClock()
    lastScroll = nil
    detector = FlickerDetector()
    wasHidden = false
  }

  /// Counts an event after it was folded.
  ///
  /// - Parameters:
  ///   - session: The session's index.
  ///   - index: The event's index in its session.
  mutating func add(_ event: Event, _ step: Policy.Step, _ state: FoldState, session: Int, index: Int) {
    let before = clock.elapsed
    let now = clock.advance(to: event.time)
    duration += now - before
    if wasHidden { hidden += now - before }
    wasHidden = state.toolbar == .hidden

    if Self.isScrolling(event.kind) {
      let gap = now - (lastScroll ?? now)
      if gap <= Self.longestScrollingGap { scrolling += gap }
      lastScroll = now
    }
    let turned = step.changed.contains(.toolbar)
    if turned { flips += 1 }
    if let elapsed = detector.add(clock, turned: turned) {
      flickers.append(Flicker(session: session, event: index, time: event.time, sinceStart: now, elapsed: elapsed))
    }
  }

  /// Ends the session at the time of its closing.
  mutating func endSession(at time: Int64) {
    // A session without events has no beginning.
    guard clock.reading != nil else { return }
    let before = clock.elapsed
    let span = clock.advance(to: time) - before
    duration += span
    if wasHidden { hidden += span }
  }

  private static func isScrolling(_ kind: Event.Kind) -> Bool {
    kind == .dragBegin || kind == .scroll || kind == .dragEnd || kind == .scrollEnd
  }
}
