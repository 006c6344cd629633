// A policy: a named rule with its parameters.

/// A named rule with its parameters: all that decides how events become states.
///
/// A policy is data. Two policies of the same rule and parameters fold alike whatever their names.
public struct Policy: Equatable, Sendable {
  /// The version of the fold itself. It changes whenever the same policy, state and event can give another state, so
  /// that states kept on disk by an older fold are known as such.
  public static let foldVersion: UInt32 = 1

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

  /// What a fold step came to.
  public struct Step: Equatable, Sendable {
    /// The watched fields that changed; the step is a transition when there are any.
    public var changed: WatchedFields
    /// Which clause decided, where a trigger fired.
    public var reason: Reason?
  }

  /// The name that states carry.
  public var name: String
  /// The rule and its parameters.
  public var rule: Rule

  /// A policy of a name, a rule and its parameters.
  public init(name: String, rule: Rule) {
    self.name = name
    self.rule = rule
  }

  /// Folds one event into a session's state.
  ///
  /// A pure function of policy, state and event: no clock, no I/O, no allocation, the same answer on every machine.
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
