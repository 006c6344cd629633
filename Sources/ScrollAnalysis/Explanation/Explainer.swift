// Folds a session and remembers what decided, so that it can be explained.

import ScrollModel

/// Folds a session's events and remembers which of them decided about the toolbar.
///
///     var explainer = Explainer(.safari)
///     for (index, event) in events.enumerated() { explainer.add(event, number: Int64(index + 1)) }
///     print(explainer.explanation.lines().joined(separator: "\n"))
///
/// It keeps two events, whatever the session's length.
public struct Explainer: Sendable {
  /// The policy that folds.
  public let policy: Policy
  /// The state after the events so far.
  public private(set) var state: FoldState

  private var start: Int64?
  private var decision: Explanation.Decision?
  private var flip: Explanation.Decision?

  /// Begins with a session's first event, or goes on from a state whose history isn't there any more.
  public init(_ policy: Policy, state: FoldState = FoldState()) {
    self.policy = policy
    self.state = state
    start = state.time
  }

  /// Folds the session's next event.
  ///
  /// - Parameter number: what the explanation calls the event: its number in the session, or its line in a file.
  public mutating func add(_ event: Event, number: Int64) {
    if start == nil { start = event.time }
    let step = policy.step(&state, event)
    if let reason = step.reason {
      decision = Explanation.Decision(number: number, time: event.time, kind: event.kind, reason: reason)
      if step.changed.contains(.toolbar) { flip = decision }
    }
  }

  /// What is shown now, why, and what would turn it.
  public var explanation: Explanation {
    Explanation(policy: policy, state: state, start: start, decision: decision, flip: flip)
  }
}
