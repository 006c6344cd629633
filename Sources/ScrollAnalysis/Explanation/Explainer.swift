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

  private var start: Int64?
  private var decision: Explanation.Decision?
  private var flip: Explanation.Decision?

  /// Creates an explainer for a whole session, or for one that continues from a state.
  public init(_ policy: Policy, state: FoldState = FoldState()) {
    self.policy = policy
    self.state = state
    start = state.time
  }

  /// Folds the session's next event.
  ///
  /// - Parameter number: The event's number in the session, or its line in a file.
  public mutating func add(_ event: Event, number: Int64) {
    if start == nil { start = event.time }
    let step = policy.step(&state, event)
    if let reason = step.reason {
      decision = Explanation.Decision(number: number, time: event.time, kind: event.kind, reason: reason)
      if step.changed.contains(.toolbar) { flip = decision }
    }
  }

  /// The explanation of the current state.
  public var explanation: Explanation {
    Explanation(policy: policy, state: state, start: start, decision: decision, flip: flip)
  }
}
