import ScrollModel

/// A policy's numbers over some sessions. Times are in microseconds by the clients' clocks; no time passes while a clock
/// runs backwards.
public struct PolicyTally: Sendable {
  /// The longest gap between two events that still counts as scrolling: 1 s.
  public static let longestScrollingGap: Int64 = 1_000_000
  /// How soon a flip must be undone to be a flicker: 300 ms.
  public static let flickerTime: Int64 = 300_000

  /// The policy.
  public let policy: Policy
  /// How often the toolbar turned, in either direction.
  public private(set) var flips = 0
  /// The flips that undid another one within ``flickerTime``, in order.
  public private(set) var flickers: [Flicker] = []
  /// How long the toolbar was hidden.
  public private(set) var hidden: Int64 = 0
  /// How long the sessions were, from their first event to their last.
  public private(set) var duration: Int64 = 0
  /// How long the user scrolled: the gaps of at most ``longestScrollingGap`` between one event of scrolling (`dragBegin`,
  /// `scroll`, `dragEnd`, `scrollEnd`) and the next.
  public private(set) var scrolling: Int64 = 0

  /// Flips per minute of scrolling; `nil` without any scrolling.
  public var flipsPerMinute: Double? {
    scrolling > 0 ? Double(flips) * 60_000_000 / Double(scrolling) : nil
  }

  private var lastTime: Int64?
  private var lastScroll: Int64?
  private var lastFlip: Int64?
  private var wasHidden = false

  init(_ policy: Policy) { self.policy = policy }

  /// Begins another session, whose clock is unrelated to the previous one's.
  mutating func beginSession() {
    lastTime = nil
    lastScroll = nil
    lastFlip = nil
    wasHidden = false
  }

  /// Counts an event after it was folded.
  ///
  /// - Parameters:
  ///   - session: The session's index.
  ///   - index: The event's index in its session.
  mutating func add(_ event: Event, _ step: Policy.Step, _ state: FoldState, session: Int, index: Int) {
    let elapsed = max(0, event.time - (lastTime ?? event.time))
    duration += elapsed
    if wasHidden { hidden += elapsed }
    lastTime = event.time
    wasHidden = state.toolbar == .hidden

    if Self.isScrolling(event.kind) {
      let gap = max(0, event.time - (lastScroll ?? event.time))
      if gap <= Self.longestScrollingGap { scrolling += gap }
      lastScroll = event.time
    }
    if step.changed.contains(.toolbar) {
      flips += 1
      if let lastFlip, event.time - lastFlip <= Self.flickerTime {
        flickers.append(Flicker(session: session, event: index, time: event.time, elapsed: event.time - lastFlip))
      }
      lastFlip = event.time
    }
  }

  private static func isScrolling(_ kind: Event.Kind) -> Bool {
    kind == .dragBegin || kind == .scroll || kind == .dragEnd || kind == .scrollEnd
  }
}
