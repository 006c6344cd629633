import ScrollModel

/// A session folded under a policy, with every state and step, and the promises that must hold for them.
public struct History {
  let policy: Policy
  let events: [Event]
  /// The states before the first event and after each event.
  public let states: [FoldState]
  /// The result of each event.
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

  /// Returns the names of the broken promises.
  ///
  /// - Parameter cut: The number of events after which a copy of the state is made and continued.
  public func brokenPromises(cut: Int) -> [String] {
    var promises = [
      ("changesAreExact", changesAreExact), ("numbersAreFinite", numbersAreFinite),
      ("isContinued", isContinued(from: cut)), ("isFreeOfScale", isFreeOfScale),
    ]
    if case .safari(let rule) = policy.rule {
      promises += [
        ("bottomLatchIsAtBottom", bottomLatchIsAtBottom(rule)), ("isShownWhereItMust", isShownWhereItMust(rule)),
        ("overscrollTurnsNothing", overscrollTurnsNothing(rule)), ("rotationKeepsPages", rotationKeepsPages),
        ("pinnedIsShown", pinnedIsShown), ("travelFollowsMovement", travelFollowsMovement(rule)),
        ("movingUpShows", movingUpShows(rule)),
      ]
    }
    return promises.filter { !$0.1 }.map(\.0)
  }

  private static let watched = FoldState.Field.watched.map { ($0, $0.declaration.watched) }
  private static let numbers = Event.Field.allCases.filter { field in
    if case .number = field.valueType { true } else { false }
  }
  private static let lengths = numbers.filter { field in
    if case .number(let quantity) = field.valueType { quantity.unit == .points } else { false }
  }

  // MARK: Any rule

  /// A transition names exactly the fields that differ.
  var changesAreExact: Bool {
    steps.indices.allSatisfy { index in
      let before = states[index]
      let after = states[index + 1]
      var changed: WatchedFields = []
      for (field, watched) in Self.watched where before[field] != after[field] { changed.formUnion(watched) }
      // The toolbar follows the trigger that fires. Without one, neither changes.
      let isDecided = steps[index].reason.map { $0.trigger == after.trigger && $0.trigger.toolbar == after.toolbar }
      return steps[index].changed == changed
        && isDecided ?? (before.toolbar == after.toolbar && before.trigger == after.trigger)
    }
  }

  /// The state's numbers are finite and its page is one of the pages, whatever finite numbers the events have.
  var numbersAreFinite: Bool {
    states.allSatisfy { state in
      let numbers = [
        state.geometry.x, state.geometry.y, state.zoomScale, state.pager.indicatorOffset, state.pager.indicatorWidth,
      ]
      let page = state.pager.index ?? 0
      return numbers.allSatisfy { $0?.isFinite ?? true } && page >= 0 && page < state.pager.count ?? 1
    }
  }

  /// A session continued from a copy of its state ends in the same state.
  func isContinued(from cut: Int) -> Bool {
    var state = states[cut]
    for event in events[cut...] { _ = policy.step(&state, event) }
    return state == states.last
  }

  /// Doubling all lengths, including those among the parameters, changes no watched field.
  var isFreeOfScale: Bool {
    let lengths = Self.lengths
    var state = FoldState()
    let doubled = policy.withLengthsDoubled
    for (index, event) in events.enumerated() {
      var event = event
      for field in lengths { event[number: field] = event[number: field].map { $0 * 2 } }
      // Doubling larger numbers would overflow, and a product of smaller ones loses digits that its double keeps.
      let isExact = Self.numbers.allSatisfy { field in
        event[number: field].map { $0 == 0 || (1e-150...1e300).contains($0.magnitude) } ?? true
      }
      if !isExact { return true }
      if doubled.step(&state, event).changed != steps[index].changed { return false }
      let single = states[index + 1]
      if state.toolbar != single.toolbar || state.pager.index != single.pager.index { return false }
    }
    return true
  }

  // MARK: The default rule

  /// The bottom is latched only at the bottom of content that scrolls.
  func bottomLatchIsAtBottom(_ rule: SafariRule) -> Bool {
    states.allSatisfy { state in
      guard state.bottomLatch else { return true }
      let bounds = ScrollBounds(state.geometry, edgeTolerance: rule.edgeTolerance)
      guard bounds.isKnown, bounds.range > rule.edgeTolerance, let y = state.geometry.y else { return false }
      return y >= bounds.high - rule.edgeTolerance
    }
  }

  /// If nothing scrolls, the toolbar is shown after every event, except while zoomed in or zooming. At the top it is shown,
  /// with the same exception, after every `scroll`, `dragEnd`, `scrollEnd` and `zoomEnd` that moves neither the content nor
  /// the finger downwards, unless the toolbar's own collapse brought the top. There is no such promise after a `layout`, a
  /// `dragBegin` or a `zoomBegin`: they can bring the top to a hidden toolbar, which appears at the next of those four.
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
      return cameDown || pulledDown || after.toolbar == .shown || isCollapse(rule, index, offset)
    }
  }

  /// Whether the toolbar's own collapse may have brought the top: the view never was far below it since the toolbar hid, and
  /// nobody scrolled up.
  private func isCollapse(_ rule: SafariRule, _ index: Int, _ offset: Double) -> Bool {
    guard let deepest = states[index + 1].memory.deepest, deepest <= rule.minimumRange else { return false }
    switch rule.uncountedMovement(of: events[index], after: states[index])?.cause {
    case .layout, .anchoring: return true
    default: return states[index].memory.last == offset && states[index + 1].memory.travelUp == 0
    }
  }

  /// While pinned, the toolbar is shown after every event.
  var pinnedIsShown: Bool {
    states.allSatisfy { !$0.geometry.toolbarPinned || $0.toolbar == .shown }
  }

  /// Travel down hides only at an event that moved down, and travel up shows only at one that moved up.
  func travelFollowsMovement(_ rule: SafariRule) -> Bool {
    events.indices.allSatisfy { index in
      let offset = states[index + 1].memory.last ?? 0
      let before = states[index].memory.last ?? offset
      switch steps[index].reason {
      case .travelledDown: return offset > before
      case .travelledUp: return offset < before
      default: return true
      }
    }
  }

  /// The user's movement up by the distance that shows, without a turn, always shows the toolbar. What is not the user's
  /// movement may come between.
  func movingUpShows(_ rule: SafariRule) -> Bool {
    var up = 0.0
    for index in events.indices {
      let event = events[index]
      let isMotion = event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd
      guard states[index].toolbar == .hidden, isMotion || event.kind == .layout || event.kind == .dragBegin else {
        up = 0
        continue
      }
      guard isMotion else { continue }
      let uncounted = rule.uncountedMovement(of: event, after: states[index])
      switch uncounted?.cause {
      case .zooming, .firstOffset, .sideways: up = 0
      case .layout, .program, .anchoring, .againstFinger: continue
      case nil:
        let moved = (states[index + 1].memory.last ?? 0) - (states[index].memory.last ?? 0)
        up = moved > 0 ? 0 : up - moved
        // A point more than the distance, because sums of fractions are rounded.
        if up >= rule.showDistance + 1, states[index + 1].toolbar == .hidden { return false }
      }
    }
    return true
  }

  /// Overscroll decides no direction: this holds while the raw offsets stay beyond the same bound of the same sizes, however
  /// far they go.
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

  /// A layout that changes the frame's width keeps the page as long as a page of that number exists.
  var rotationKeepsPages: Bool {
    events.indices.allSatisfy { index in
      guard events[index].kind == .layout, let page = states[index].pager.index,
        let count = states[index + 1].pager.count, page < count,
        states[index].memory.pager.frameWidth != states[index + 1].geometry.frameWidth
      else { return true }
      return states[index + 1].pager.index == page
    }
  }
}

extension Policy {
  /// The policy with all parameters that are lengths doubled.
  fileprivate var withLengthsDoubled: Policy {
    switch rule {
    case .classic(let rule): Policy(name: name, rule: .classic(doubled(rule, ClassicRule.parameters)))
    case .safari(let rule): Policy(name: name, rule: .safari(doubled(rule, SafariRule.parameters)))
    }
  }

  private func doubled<Rule>(_ rule: Rule, _ parameters: [RuleParameter<Rule>]) -> Rule {
    var rule = rule
    for parameter in parameters {
      if case .number(let path, .points) = parameter.storage { rule[keyPath: path] *= 2 }
    }
    return rule
  }
}
