/// A named rule with its parameters, which together decide how events become states.
///
/// A policy is data. Two policies with the same rule and parameters fold alike, whatever their names.
public struct Policy: Equatable, Sendable {
  /// The version of the fold. It changes whenever the same policy, state and event can result in a different state, so
  /// that programs recognise states that an older fold has stored.
  public static let foldVersion: UInt32 = 2

  /// One of the two rules, with its parameters.
  public enum Rule: Equatable, Sendable {
    case classic(ClassicRule)
    case safari(SafariRule)

    /// The rule's name in configuration and log.
    public var name: String {
      switch self {
      case .classic: "classic"
      case .safari: "safari"
      }
    }
  }

  /// The result of folding an event.
  public struct Step: Equatable, Sendable {
    /// The watched fields that changed. The step is a transition if any did.
    public var changed: WatchedFields
    /// The clause that decided, if a trigger fired.
    public var reason: Reason?
  }

  /// The name that appears in states.
  public var name: String
  /// The rule and its parameters.
  public var rule: Rule

  /// Creates a policy from its name and rule.
  public init(name: String, rule: Rule) {
    self.name = name
    self.rule = rule
  }

  /// Folds an event into a session's state.
  ///
  /// This is a pure function of policy, state and event. It uses no clock and no I/O, allocates nothing, and gives the
  /// same result on every machine.
  public func step(_ state: inout FoldState, _ event: Event) -> Step {
    let toolbar = state.toolbar
    let trigger = state.trigger
    let reachBottom = state.reachBottom
    let bottomLatch = state.bottomLatch
    let topButton = state.topButton
    let pageIndex = state.pager.index
    let pageCount = state.pager.count

    let reason: Reason?
    switch rule {
    case .classic(let rule): reason = rule.step(&state, event)
    case .safari(let rule): reason = rule.step(&state, event)
    }
    state.time = event.time

    // Written out, because a loop over the table of fields makes the fold a quarter slower. The property test
    // History.changesAreExact compares the result with the table.
    var changed: WatchedFields = []
    if state.toolbar != toolbar { changed.insert(.toolbar) }
    if state.trigger != trigger { changed.insert(.trigger) }
    if state.reachBottom != reachBottom { changed.insert(.reachBottom) }
    if state.bottomLatch != bottomLatch { changed.insert(.bottomLatch) }
    if state.topButton != topButton { changed.insert(.topButton) }
    if state.pager.index != pageIndex { changed.insert(.pageIndex) }
    if state.pager.count != pageCount { changed.insert(.pageCount) }
    return Step(changed: changed, reason: reason)
  }
}
