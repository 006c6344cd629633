// A session folded, every state kept, and what must hold of it.

import ScrollModel

/// A session folded under a policy, with every state and step kept, and what must hold of them.
public struct History {
  let policy: Policy
  let events: [Event]
  /// The states: before the first event, then after each.
  public let states: [FoldState]
  /// What each event's step came to.
  public let steps: [Policy.Step]

  /// Folds a session's events.
  public init(_ policy: Policy, _ events: [Event]) {
    self.policy = policy
    self.events = events
    var state = FoldState()
    var states = [state]
    var steps: [Policy.Step] = []
    states.reserveCapacity(events.count + 1)
    for event in events {
      steps.append(policy.step(&state, event))
      states.append(state)
    }
    self.states = states
    self.steps = steps
  }

  /// The promises that don't hold, by name.
  ///
  /// - Parameter cut: after how many events a copy of the state is taken and continued.
  public func brokenPromises(cut: Int) -> [String] {
    var promises = [
      ("changesAreExact", changesAreExact), ("numbersAreFinite", numbersAreFinite),
      ("isContinued", isContinued(from: cut)), ("isFreeOfScale", isFreeOfScale),
    ]
    if case .safari(let rule) = policy.rule {
      promises += [
        ("bottomLatchIsAtBottom", bottomLatchIsAtBottom(rule)), ("isShownWhereItMust", isShownWhereItMust(rule)),
        ("overscrollTurnsNothing", overscrollTurnsNothing(rule)), ("resizeKeepsPages", resizeKeepsPages),
      ]
    }
    return promises.filter { !$0.1 }.map(\.0)
  }

  // MARK: Any rule

  /// A transition names exactly the fields that differ.
  var changesAreExact: Bool {
    steps.indices.allSatisfy { index in
      let before = states[index]
      let after = states[index + 1]
      var changed: WatchedFields = []
      if before.toolbar != after.toolbar { changed.insert(.toolbar) }
      if before.trigger != after.trigger { changed.insert(.trigger) }
      if before.reachBottom != after.reachBottom { changed.insert(.reachBottom) }
      if before.bottomLatch != after.bottomLatch { changed.insert(.bottomLatch) }
      if before.topButton != after.topButton { changed.insert(.topButton) }
      if before.pager.index != after.pager.index { changed.insert(.pageIndex) }
      if before.pager.count != after.pager.count { changed.insert(.pageCount) }
      // A trigger that fires decides the toolbar; without one neither changes.
      let isDecided = steps[index].reason.map { $0.trigger == after.trigger && $0.trigger.toolbar == after.toolbar }
      return steps[index].changed == changed
        && isDecided ?? (before.toolbar == after.toolbar && before.trigger == after.trigger)
    }
  }

  /// Whatever finite numbers come in, what goes out can be written as JSON, and pages can be counted.
  var numbersAreFinite: Bool {
    states.allSatisfy { state in
      let numbers = [
        state.geometry.x, state.geometry.y, state.zoomScale, state.pager.indicatorOffset, state.pager.indicatorWidth,
      ]
      let page = state.pager.index ?? 0
      return numbers.allSatisfy { $0?.isFinite ?? true } && page >= 0 && page < state.pager.count ?? 1
    }
  }

  /// A session continued from a copy of its state goes on as the whole.
  func isContinued(from cut: Int) -> Bool {
    var state = states[cut]
    for event in events[cut...] { _ = policy.step(&state, event) }
    return state == states.last
  }

  /// With all lengths and all parameters that are lengths doubled, nothing that is watched changes.
  var isFreeOfScale: Bool {
    let lengths: [Event.Field] = [
      .x, .y, .translationX, .translationY, .contentWidth, .contentHeight, .frameWidth, .frameHeight, .insetTop,
      .insetLeft, .insetBottom, .insetRight,
    ]
    var state = FoldState()
    let doubled = policy.withLengthsDoubled
    for (index, event) in events.enumerated() {
      var event = event
      for field in lengths { event[number: field] = event[number: field].map { $0 * 2 } }
      // Numbers that have no double are beyond what this can say.
      if lengths.contains(where: { event[number: $0].map { $0.magnitude > 1e300 } ?? false }) { return true }
      if doubled.step(&state, event).changed != steps[index].changed { return false }
      let single = states[index + 1]
      if state.toolbar != single.toolbar || state.pager.index != single.pager.index { return false }
    }
    return true
  }

  // MARK: The default rule

  /// The latch says that one is at the bottom of content that scrolls.
  func bottomLatchIsAtBottom(_ rule: SafariRule) -> Bool {
    states.allSatisfy { state in
      guard state.bottomLatch else { return true }
      let bounds = ScrollBounds(state.geometry, edgeTolerance: rule.edgeTolerance)
      guard bounds.isKnown, bounds.range > rule.edgeTolerance, let y = state.geometry.y else { return false }
      return y >= bounds.high - rule.edgeTolerance
    }
  }

  /// Where nothing scrolls, the toolbar is shown after every event, save while zoomed in or zooming. At the top it is
  /// shown after every `scroll`, `dragEnd`, `scrollEnd` and `zoomEnd` that comes not from above, neither by the content
  /// nor by the finger, with the same exception. It is not promised after a `layout`, a `dragBegin` or a `zoomBegin`:
  /// these bring the top to a hidden toolbar without anybody having gone there, until the next of those four.
  func isShownWhereItMust(_ rule: SafariRule) -> Bool {
    events.indices.allSatisfy { index in
      let event = events[index]
      let before = states[index]
      let after = states[index + 1]
      guard !after.memory.zoomedIn, !after.memory.zooming else { return true }
      let bounds = ScrollBounds(after.geometry, edgeTolerance: rule.edgeTolerance)
      if bounds.isKnown, bounds.range <= rule.edgeTolerance { return after.toolbar == .shown }
      let settling: [Event.Kind] = [.scroll, .dragEnd, .scrollEnd, .zoomEnd]
      guard settling.contains(event.kind), bounds.isAtTop, let offset = bounds.offset else { return true }
      let cameDown = before.memory.last.map { offset > $0 } ?? false
      let pulledDown = event.translationY.map { $0 < before.memory.pan } ?? false
      return cameDown || pulledDown || after.toolbar == .shown
    }
  }

  /// Beyond a bound one scrolls nowhere: as long as raw offsets stay beyond the same bound of the same sizes, no direction
  /// is decided, however far they go.
  func overscrollTurnsNothing(_ rule: SafariRule) -> Bool {
    events.indices.allSatisfy { index in
      let event = events[index]
      guard event.kind != .layout else { return true }
      let bounds = ScrollBounds(states[index + 1].geometry, edgeTolerance: rule.edgeTolerance)
      guard bounds.isKnown, let before = states[index].geometry.y, let after = event.y else { return true }
      let isBeyond = (before >= bounds.high && after >= bounds.high) || (before <= bounds.low && after <= bounds.low)
      guard isBeyond else { return true }
      switch steps[index].reason {
      case .travelledDown, .travelledUp: return false
      default: return true
      }
    }
  }

  /// A relayout leaves the page alone as long as there is one of that number.
  var resizeKeepsPages: Bool {
    events.indices.allSatisfy { index in
      guard events[index].kind == .layout, let page = states[index].pager.index,
        let count = states[index + 1].pager.count, page < count
      else { return true }
      return states[index + 1].pager.index == page
    }
  }
}

extension Policy {
  /// The policy with every parameter that is a length doubled.
  fileprivate var withLengthsDoubled: Policy {
    switch rule {
    case .classic(var rule):
      rule.topButtonDistance *= 2
      return Policy(name: name, rule: .classic(rule))
    case .safari(var rule):
      rule.hideDistance *= 2
      rule.showDistance *= 2
      rule.edgeTolerance *= 2
      rule.minimumRange *= 2
      rule.topButtonDistance *= 2
      rule.topButtonHysteresis *= 2
      return Policy(name: name, rule: .safari(rule))
    }
  }
}
