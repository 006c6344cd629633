import ScrollModel

/// A fold of a session's events that remembers which of them decided about the toolbar.
///
///     var explainer = Explainer(.safari)
///     for (index, event) in events.enumerated() { explainer.add(event, number: Int64(index + 1)) }
///     print(explainer.explanation.lines().joined(separator: "\n"))
///
/// Its size does not depend on the session's length.
public struct Explainer: Sendable {
  /// The policy that folds.
  public let policy: Policy
  /// The state after the events so far.
  public private(set) var state: FoldState

  /// The number of the last event, or its line in a file; `nil` before the first.
  public private(set) var lastNumber: Int64?
  /// The time from the session's first event to the last, in microseconds, ≥ 0.
  public var elapsed: Int64 { clock.elapsed }

  private var clock = SessionClock()
  private var opposition = OppositionCheck()
  private var uncounted = UncountedHistory()
  private var decision: Explanation.Decision?
  private var flip: Explanation.Decision?

  /// Creates an explainer for a whole session, or for one that continues from a state.
  public init(_ policy: Policy, state: FoldState = FoldState()) {
    self.policy = policy
    self.state = state
    if let time = state.time { clock.advance(to: time) }
  }

  /// Creates an explainer that continues after the event that last turned the toolbar, as if it had read all events before.
  public init(_ policy: Policy, after turn: Turn) {
    self.policy = policy
    state = turn.state
    clock = turn.clock
    lastNumber = turn.number
    let decision = Explanation.Decision(
      number: turn.number, time: turn.time, sinceStart: turn.clock.elapsed, kind: turn.kind, reason: turn.reason)
    self.decision = decision
    flip = decision
  }

  /// Folds the session's next event.
  ///
  /// - Parameter number: The event's number in the session, or its line in a file.
  public mutating func add(_ event: Event, number: Int64) {
    let sinceStart = clock.advance(to: event.time)
    let before = state
    let step = policy.step(&state, event)
    lastNumber = number
    // As with the uncounted movement, the events since the last turn suffice.
    if before.toolbar != state.toolbar { opposition = OppositionCheck() }
    opposition.add(CheckedEvent(event, number: number, from: before, to: state))
    uncounted.add(event, number: number, from: before, to: state, by: policy)
    if let reason = step.reason {
      decision = Explanation.Decision(
        number: number, time: event.time, sinceStart: sinceStart, kind: event.kind, reason: reason)
      if step.changed.contains(.toolbar) { flip = decision }
    }
  }

  /// The explanation of the current state.
  public var explanation: Explanation {
    Explanation(policy: policy, state: state, decision: decision, flip: flip, uncounted: uncounted, opposition)
  }
}
