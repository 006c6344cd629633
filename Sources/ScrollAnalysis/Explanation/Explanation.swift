// What is shown, why, and what would have to happen for it to turn.

import ScrollModel

/// What is shown after some events of a session, why, and what would have to happen for it to turn.
public struct Explanation: Equatable, Sendable {
  /// The event that decided about the toolbar, and the clause by which it did.
  public struct Decision: Equatable, Sendable {
    /// What the event is called: its number in the session, or its line in a file.
    public let number: Int64
    /// The event's time, microseconds since the Unix epoch.
    public let time: Int64
    /// The event's kind.
    public let kind: Event.Kind
    /// The clause that decided, with its numbers.
    public let reason: Reason
  }

  /// The policy that decided.
  public let policy: Policy
  /// The state that is explained.
  public let state: FoldState
  /// The time of the session's first event that was seen; `nil` before there was one.
  public let start: Int64?
  /// What fired last, whether it turned the toolbar or confirmed it; `nil` where nothing has.
  public let decision: Decision?
  /// What turned the toolbar last; `nil` where nothing has.
  public let flip: Decision?
  /// What would turn the toolbar, the likeliest first. Each was performed on a copy of the state, and turned it.
  public let ways: [Way]
  /// What stands in the way of what one would expect to turn it.
  public let obstacles: [Obstacle]

  /// Whether the toolbar is seen.
  public var toolbar: Toolbar { state.toolbar }

  /// Explains a state of a policy's making.
  ///
  /// - Parameters:
  ///   - start: the time of the session's first event, from which ``lines(time:)`` counts.
  ///   - decision: what fired last.
  ///   - flip: what turned the toolbar last.
  public init(
    policy: Policy, state: FoldState, start: Int64? = nil, decision: Decision? = nil, flip: Decision? = nil
  ) {
    self.policy = policy
    self.state = state
    self.start = start
    self.decision = decision
    self.flip = flip
    let found: (ways: [Way], obstacles: [Obstacle])
    switch policy.rule {
    case .classic(let rule):
      let search = ClassicWays(policy: policy, rule: rule, state: state)
      found = (search.ways, search.obstacles)
    case .safari(let rule):
      let search = SafariWays(policy: policy, rule: rule, state: state)
      found = (search.ways, search.obstacles)
    }
    ways = found.ways
    obstacles = found.ways.isEmpty && found.obstacles.isEmpty ? [.numbersTooLarge] : found.obstacles
  }
}
