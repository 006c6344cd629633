import ScrollModel

/// What a policy shows after some events of a session, why, and what would turn the toolbar.
public struct Explanation: Equatable, Sendable {
  /// An event that fired a trigger, and the clause that decided.
  public struct Decision: Equatable, Sendable {
    /// The event's number in the session, or its line in a file.
    public let number: Int64
    /// The event's time, in microseconds since the Unix epoch.
    public let time: Int64
    /// The time since the session's first known event, in microseconds, ≥ 0.
    public let sinceStart: Int64
    /// The event's kind.
    public let kind: Event.Kind
    /// The clause that decided, with its numbers.
    public let reason: Reason
  }

  /// The policy that decided.
  public let policy: Policy
  /// The state that is explained.
  public let state: FoldState
  /// What fired last, whether it turned the toolbar or confirmed it; `nil` if nothing has.
  public let decision: Decision?
  /// What last turned the toolbar; `nil` if nothing has.
  public let flip: Decision?
  /// Movement since then that would have turned the toolbar if the rule had counted it, and why it did not.
  public let uncounted: [Uncounted]
  /// The ways to turn the toolbar, the likeliest first. Each has been tried successfully on a copy of the state.
  public let ways: [Way]
  /// What keeps the toolbar from turning when you would expect it to.
  public let obstacles: [Obstacle]

  /// Whether the toolbar is visible.
  public var toolbar: Toolbar { state.toolbar }

  /// Explains a state that a policy has folded.
  ///
  /// - Parameters:
  ///   - decision: What fired last.
  ///   - flip: What last turned the toolbar.
  public init(policy: Policy, state: FoldState, decision: Decision? = nil, flip: Decision? = nil) {
    self.init(
      policy: policy, state: state, decision: decision, flip: flip, uncounted: UncountedHistory(), OppositionCheck())
  }

  init(
    policy: Policy, state: FoldState, decision: Decision?, flip: Decision?, uncounted history: UncountedHistory,
    _ opposition: OppositionCheck
  ) {
    self.policy = policy
    self.state = state
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
    uncounted = history.causes.map { movement in
      var movement = movement
      movement.judge(opposition)
      return movement
    }
    ways = found.ways.map { way in
      var way = way
      way.condition = history.condition(of: way, from: state, by: policy)
      return way
    }
    obstacles = found.ways.isEmpty && found.obstacles.isEmpty ? [.numbersTooLarge] : found.obstacles
  }
}
