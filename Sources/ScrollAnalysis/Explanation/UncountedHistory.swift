import ScrollModel

/// What moved the content in the direction that turns the toolbar, since it last turned, and was not counted.
///
/// Its size does not depend on the session's length.
struct UncountedHistory: Equatable, Sendable {
  /// The uncounted movement, one element per cause, in the order in which the causes first occurred.
  private(set) var causes: [Explanation.Uncounted] = []

  /// The last event that moved the content in the direction that turns the toolbar.
  private var motion: Motion?
  /// Whether the last push at the bottom was invisible to the rule.
  private var isPushUnseen = false

  /// A motion event, with what its translations added to those before.
  private struct Motion: Equatable {
    let event: Event
    let pull: Double?
    let pullX: Double?
  }

  /// Takes an event after it was folded, with the state before and after.
  mutating func add(_ event: Event, number: Int64, from before: FoldState, to after: FoldState, by policy: Policy) {
    guard before.toolbar == after.toolbar else {
      self = UncountedHistory()
      return
    }
    switch policy.rule {
    case .classic: addClassic(event, number, before, after)
    case .safari(let rule): addSafari(event, number, before, after, rule)
    }
  }

  /// The plain rule counts translations, wherever the content goes.
  private mutating func addClassic(_ event: Event, _ number: Int64, _ before: FoldState, _ after: FoldState) {
    guard event.kind == .scroll, let from = before.geometry.y, let to = after.geometry.y, from != to else { return }
    let isDownward = after.toolbar == .shown
    guard (to > from) == isDownward, !(isDownward && before.bottomLatch) else { return }
    motion = Motion(event: event, pull: event.translationY, pullX: event.translationX)
    note(.finger, isDownward, (to - from).magnitude, number)
  }

  private mutating func addSafari(
    _ event: Event, _ number: Int64, _ before: FoldState, _ after: FoldState, _ rule: SafariRule
  ) {
    guard event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd else { return }
    let isDownward = after.toolbar == .shown
    let pull = event.translationY.map { $0 - before.memory.pan }
    let (cause, moved) =
      rule.uncountedMovement(of: event, after: before).map { ($0.cause, $0.moved) } ?? (nil, moved(before, after))
    if moved != 0, (moved > 0) == isDownward {
      motion = Motion(event: event, pull: pull, pullX: event.translationX.map { $0 - before.memory.panX })
      if let cause = cause?.category { note(cause, isDownward, moved.magnitude, number) }
    }
    notePush(event, number, before, after, rule, isStill: cause == nil && moved == 0 && pull ?? 0 == 0)
  }

  /// A `scroll` that moves nothing after the content has come to rest at the bottom is a push. Without a new translation, the
  /// rule can't see it.
  private mutating func notePush(
    _ event: Event, _ number: Int64, _ before: FoldState, _ after: FoldState, _ rule: SafariRule, isStill: Bool
  ) {
    guard event.kind == .scroll, before.bottomLatch, after.toolbar == .hidden, rule.revealAtBottom == .secondPull else {
      return
    }
    let bounds = ScrollBounds(after.geometry, edgeTolerance: rule.edgeTolerance)
    isPushUnseen = isStill && bounds.isAtBottom && !bounds.isBeyondBottom
    if isPushUnseen { note(.withoutTranslation, true, 0, number) }
  }

  private mutating func note(
    _ cause: Explanation.Uncounted.Cause, _ isDownward: Bool, _ points: Double, _ number: Int64
  ) {
    if let index = causes.firstIndex(where: { $0.cause == cause }) {
      causes[index].add(points: points, number: number)
    } else {
      causes.append(.init(cause, isDownward: isDownward, points: points, number: number))
    }
  }

  private func moved(_ before: FoldState, _ after: FoldState) -> Double {
    guard let last = before.memory.last, let now = after.memory.last else { return 0 }
    return now - last
  }

  /// Returns what must be different from the last movement for a way to work: doing the same again, as far as the way says,
  /// would be in vain. `nil` if the same movement works.
  func condition(of way: Way, from start: FoldState, by policy: Policy) -> Way.Condition? {
    let isDownward = start.toolbar == .shown
    var state = start
    for gesture in way.gestures {
      switch gesture {
      case .scrollDown(let distance) where isDownward: return condition(distance, state, policy)
      case .scrollUp(let distance) where !isDownward: return condition(distance, state, policy)
      case .pullDown where isPushUnseen: return .newTranslation
      default:
        for event in gesture.events(after: state, by: policy) { _ = policy.step(&state, event) }
      }
    }
    return nil
  }

  private func condition(_ distance: Gesture.Distance, _ state: FoldState, _ policy: Policy) -> Way.Condition? {
    guard let motion else { return nil }
    var event = Event(motion.event.kind, time: state.time ?? 0)
    event.x = state.geometry.x ?? 0
    event.y = distance.to
    event.source = motion.event.source
    event.translationY = motion.pull.map { state.memory.pan + $0 }
    event.translationX = motion.pullX.map { state.memory.panX + $0 }
    var next = state
    _ = policy.step(&next, event)
    guard next.toolbar == state.toolbar else { return nil }
    switch policy.rule {
    case .classic: return state.toolbar == .hidden ? .fingerBelowStart : .fingerNotBelowStart
    case .safari(let rule):
      switch rule.uncountedMovement(of: event, after: state)?.cause {
      case .layout, .program: return .userSource
      case .againstFinger: return .followingTranslation
      case .sideways: return .notSideways
      // A wheel's movement can pass for scroll anchoring, and can't pull at the top of zoomed content.
      case .anchoring, nil: return .followingTranslation
      // The way itself ends the pinch.
      case .zooming, .firstOffset: return nil
      }
    }
  }
}

extension UncountedMovement {
  /// The cause without its numbers; `nil` for the first offset of a session, from which nothing has moved.
  fileprivate var category: Explanation.Uncounted.Cause? {
    switch self {
    case .layout: .layout
    case .program: .program
    case .anchoring: .anchoring
    case .againstFinger: .againstFinger
    case .zooming: .zooming
    case .sideways: .sideways
    case .firstOffset: nil
    }
  }
}
