// The default rule: when the toolbar hides, and when it comes back.

/// The default rule: the five triggers of the delegate callbacks, made to hold up against bounces, jitter, relayouts,
/// programs that scroll, lost events and pages too short to scroll.
///
/// ``step(_:_:)`` reads from top to bottom as the rule is told: geometry, then eight clauses in order, then what is
/// derived. Lengths are points.
public struct SafariRule: Equatable, Sendable {
  /// When the toolbar comes back at the bottom.
  public enum RevealAtBottom: String, CaseIterable, Sendable {
    /// When one pulls once more after having come to rest there.
    case secondPull
    /// As soon as the bottom is reached.
    case arrival
    /// Not at all.
    case never
  }

  /// How far down one must come to hide the toolbar.
  public var hideDistance: Double = 10
  /// How far up one must come to show the toolbar.
  public var showDistance: Double = 10
  /// How near to an edge counts as at the edge.
  public var edgeTolerance: Double = 2
  /// How near to the minimum, relative to it, counts as zoomed out.
  public var zoomTolerance: Double = 0.005
  /// How far above the minimum, relative to it, counts as zoomed in.
  public var zoomInDistance: Double = 0.05
  /// How far the content must be able to scroll for the toolbar to hide at all.
  public var minimumRange: Double = 150
  /// When the toolbar comes back at the bottom.
  public var revealAtBottom = RevealAtBottom.secondPull
  /// How far below the top the button to the top appears.
  public var topButtonDistance: Double = 450
  /// How far back above that it goes away again.
  public var topButtonHysteresis: Double = 100
  /// How far beyond the middle between two pages the indicator's page changes, in pages.
  public var pageHysteresis: Double = 0.05

  /// The rule with its default parameters.
  public init() {}

  /// Folds one event into the state; the answer is the clause that decided last, where a trigger fired.
  func step(_ state: inout FoldState, _ event: Event) -> Reason? {
    let heightBefore = state.geometry.contentHeight
    let scaleBefore = state.zoomScale
    state.geometry.update(with: event)
    let bounds = ScrollBounds(state.geometry, edgeTolerance: edgeTolerance)
    let movement = Movement(event, state, bounds)
    let isHideable = !bounds.isKnown || bounds.range >= minimumRange
    var reason: Reason?

    // 1. Content that grows below takes the bottom away from a bar that was revealed there.
    if event.kind == .layout, let heightBefore, let height = state.geometry.contentHeight,
      height - heightBefore > edgeTolerance
    {
      state.memory.held = false
    }

    // 2. A pinch moves the content without anybody scrolling.
    if event.kind.isZoom {
      state.memory.zooming = event.kind == .zoomBegin ? true : event.kind == .zoomEnd ? false : state.memory.zooming
      state.memory.forgetTravel()
    }

    // 3. Zooming in hides, coming back to the minimum shows. A pinch trembles around the minimum before it grows.
    if event.kind == .zoom || event.kind == .zoomEnd, let scale = event.zoomScale {
      let minimum = state.geometry.minimumZoomScale
      let upper = minimum * (1 + zoomInDistance)
      let lower = minimum * (1 + zoomTolerance)
      if scale > scaleBefore ?? minimum, scale > upper {
        fire(.zoomedIn(zoomScale: scale, threshold: upper), &state, &reason)
      } else if state.memory.zoomedIn, scale <= lower {
        fire(.zoomedOut(zoomScale: scale, threshold: lower), &state, &reason)
      }
    }
    if let scale = event.zoomScale { state.zoomScale = scale }

    // 4. A drag that begins at the bottom is a second pull.
    if event.kind == .dragBegin { state.bottomLatch = bounds.isAtBottom }

    // 5 and 6. Scrolling.
    if event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd {
      switch rebase(event, state, movement) {
      case .keepTravel: break
      case .forgetTravel: state.memory.forgetTravel()
      case nil: decide(&state, bounds, movement, isHideable: isHideable, &reason)
      }
      // A lost zoomEnd must not blind the rule.
      if event.kind != .scroll, event.source ?? .user == .user { state.memory.zooming = false }
    }

    // 7. Where this event leaves the rule.
    if state.geometry.y != nil { state.memory.last = bounds.offset }
    if bounds.isKnown, let offset = bounds.offset, bounds.high - offset > minimumRange { state.memory.held = false }
    if event.kind == .scrollEnd, event.source ?? .user == .user, bounds.isAtBottom { state.bottomLatch = true }
    state.bottomLatch = state.bottomLatch && bounds.isAtBottom
    if event.kind == .dragBegin { state.memory.pan = 0 }
    if let translation = event.translationY { state.memory.pan = translation }

    // 8. Nothing to scroll, or back at the top: shown, whoever scrolled.
    if state.toolbar == .hidden, !state.memory.zoomedIn, !state.memory.zooming, event.kind != .zoom {
      if bounds.isKnown, bounds.range <= edgeTolerance {
        fire(.nothingScrolls(range: bounds.range, edgeTolerance: edgeTolerance), &state, &reason)
      } else if event.kind != .layout, event.kind != .dragBegin, event.kind != .zoomBegin,
        bounds.isAtTop, movement.moved <= 0, !(movement.pull < 0)
      {
        fire(.atTop(offset: bounds.offset ?? bounds.low, top: bounds.low), &state, &reason)
      }
    }

    derive(&state, event)
    return reason
  }

  /// What an event does that only rebases, deciding nothing.
  private enum Rebase {
    case keepTravel, forgetTravel
  }

  /// Clause 5: whether the event's movement is none of the user's scrolling.
  private func rebase(_ event: Event, _ state: FoldState, _ movement: Movement) -> Rebase? {
    if event.source == .layout || movement.isAgainstFinger { return .keepTravel }
    if event.source == .program || state.memory.zooming || state.memory.last == nil || movement.isSideways {
      return .forgetTravel
    }
    return nil
  }

  /// Clause 6: a scroll of the user's.
  private func decide(
    _ state: inout FoldState, _ bounds: ScrollBounds, _ movement: Movement, isHideable: Bool, _ reason: inout Reason?
  ) {
    if bounds.isAtBottom, movement.isPullingDown {
      if revealAtBottom == .secondPull, state.bottomLatch {
        return fire(.secondPull(distance: movement.pullDistance(beyond: bounds.high)), &state, &reason)
      }
      if revealAtBottom == .arrival, isHideable {
        return fire(.arrivedAtBottom(offset: bounds.offset ?? bounds.high, bottom: bounds.high), &state, &reason)
      }
    }
    if state.toolbar == .hidden, bounds.isAtTop, movement.isPullingUp {
      return fire(.pulledAtTop(offset: bounds.offset ?? bounds.low, top: bounds.low), &state, &reason)
    }
    guard movement.moved != 0 else { return }
    state.memory.travelDown = state.memory.held ? 0 : max(0, state.memory.travelDown + movement.moved)
    state.memory.travelUp = max(0, state.memory.travelUp - movement.moved)
    let down = state.memory.travelDown
    let up = state.memory.travelUp
    if state.trigger != .scrollDown, down >= hideDistance, isHideable, !state.memory.held {
      fire(.travelledDown(travelDown: down, hideDistance: hideDistance), &state, &reason)
      state.memory.travelDown = down
    } else if state.trigger != .scrollUp, up >= showDistance {
      fire(.travelledUp(travelUp: up, showDistance: showDistance), &state, &reason)
      state.memory.travelUp = up
    }
  }

  /// Lets a trigger decide.
  private func fire(_ decision: Reason, _ state: inout FoldState, _ reason: inout Reason?) {
    reason = decision
    state.trigger = decision.trigger
    state.toolbar = decision.trigger.toolbar
    state.memory.forgetTravel()
    switch decision.trigger {
    case .reachBottom: state.memory.held = true
    case .zoomIn:
      state.memory.held = false
      state.memory.zoomedIn = true
    case .zoomOut: state.memory.zoomedIn = false
    case .scrollUp, .scrollDown: break
    }
  }

  /// The flags and the pager, which follow from the geometry.
  private func derive(_ state: inout FoldState, _ event: Event) {
    let geometry = state.geometry
    if let y = geometry.y {
      let contentHeight = geometry.contentHeight ?? 0
      let seen = y + (geometry.frameHeight ?? 0) + edgeTolerance
      state.reachBottom = contentHeight != 0 && contentHeight + geometry.insetBottom <= seen
      let fromTop = y + geometry.insetTop
      if fromTop > topButtonDistance {
        state.topButton = true
      } else if fromTop <= topButtonDistance - topButtonHysteresis {
        state.topButton = false
      }
    }
    state.pager = pager(state.pager, geometry, event)
  }

  private func pager(_ before: Pager, _ geometry: Geometry, _ event: Event) -> Pager {
    var pager = Pager()
    guard let contentWidth = geometry.contentWidth, contentWidth > 0,
      let frameWidth = geometry.frameWidth, frameWidth > 0
    else { return pager }
    let count = max(1, Pager.wholePages(contentWidth / frameWidth))
    pager.count = count
    pager.indicatorWidth = frameWidth / Double(count)
    guard let x = geometry.x else { return pager }

    let end = max(0, contentWidth - frameWidth)
    let distance = min(max(0, geometry.rightToLeft ? 0 - x : x), end)
    pager.indicatorOffset = distance / Double(count)
    let nearest = min(Pager.wholePages(distance / frameWidth), count - 1)
    guard let index = before.index else {
      pager.index = nearest
      return pager
    }
    let isPaging = event.kind != .layout && !event.kind.isZoom && event.source != .layout
    if isPaging, end > edgeTolerance, distance >= end - edgeTolerance {
      pager.index = count - 1
    } else if isPaging, (distance / frameWidth - Double(index)).magnitude > 0.5 + pageHysteresis {
      pager.index = nearest
    } else {
      pager.index = min(index, count - 1)
    }
    return pager
  }
}

extension RuleMemory {
  /// Begins to measure travel anew.
  mutating func forgetTravel() {
    travelDown = 0
    travelUp = 0
  }
}
