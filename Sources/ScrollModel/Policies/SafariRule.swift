/// The default rule: the five triggers of the delegate callbacks, made robust against bounces, jitter, relayouts,
/// programs that scroll, lost events, and pages too short to scroll.
///
/// ``step(_:_:)`` follows the rule's description from top to bottom: the geometry, eight clauses in order, and the derived
/// values. Lengths are in points.
public struct SafariRule: Equatable, Sendable {
  /// When the toolbar comes back at the bottom.
  public enum RevealAtBottom: String, CaseIterable, Sendable {
    /// When the user pulls again after the content has stopped there.
    case secondPull
    /// As soon as the bottom is reached.
    case arrival
    /// Never.
    case never
  }

  /// How far the user scrolls down before the toolbar hides.
  public var hideDistance: Double = 10
  /// How far the user scrolls up before the toolbar appears.
  public var showDistance: Double = 10
  /// The distance within which the offset counts as at an edge.
  public var edgeTolerance: Double = 2
  /// How far above the minimum zoom scale, relative to it, still counts as zoomed out.
  public var zoomTolerance: Double = 0.005
  /// How far above the minimum zoom scale, relative to it, counts as zoomed in.
  public var zoomInDistance: Double = 0.05
  /// The scrollable distance below which the toolbar never hides.
  public var minimumRange: Double = 150
  /// When the toolbar comes back at the bottom.
  public var revealAtBottom = RevealAtBottom.secondPull
  /// The distance from the top beyond which the button to the top appears.
  public var topButtonDistance: Double = 450
  /// How far above that distance the button disappears again.
  public var topButtonHysteresis: Double = 100
  /// How far past the middle between two pages the indicator's page changes, in pages.
  public var pageHysteresis: Double = 0.05

  /// Creates the rule with its default parameters.
  public init() {}

  /// Folds an event into the state. Returns the clause that decided last, if a trigger fired.
  func step(_ state: inout FoldState, _ event: Event) -> Reason? {
    let heightBefore = state.geometry.contentHeight
    let scaleBefore = state.zoomScale
    state.geometry.update(with: event)
    let bounds = ScrollBounds(state.geometry, edgeTolerance: edgeTolerance)
    let movement = Movement(event, state, bounds)
    let isHideable = !bounds.isKnown || bounds.range >= minimumRange
    var reason: Reason?

    // 1. When the content grows, a toolbar that was revealed at the bottom is no longer there.
    if event.kind == .layout, let heightBefore, let height = state.geometry.contentHeight,
      height - heightBefore > edgeTolerance
    {
      state.memory.held = false
    }

    // 2. A pinch moves the content without scrolling.
    if event.kind.isZoom {
      state.memory.zooming = event.kind == .zoomBegin ? true : event.kind == .zoomEnd ? false : state.memory.zooming
      state.memory.forgetTravel()
    }

    // 3. Zooming in hides, zooming back to the minimum shows. A pinch trembles around the minimum before it grows.
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

    // 7. What the rule remembers for the next event.
    if state.geometry.y != nil { state.memory.last = bounds.offset }
    if bounds.isKnown, let offset = bounds.offset, bounds.high - offset > minimumRange { state.memory.held = false }
    if event.kind == .scrollEnd, event.source ?? .user == .user, bounds.isAtBottom { state.bottomLatch = true }
    state.bottomLatch = state.bottomLatch && bounds.isAtBottom
    if event.kind == .dragBegin { state.memory.pan = 0 }
    if let translation = event.translationY { state.memory.pan = translation }

    // 8. With nothing to scroll, or back at the top, the toolbar is shown, whatever the source.
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

  /// How an event that decides nothing moves the point that travel is measured from.
  private enum Rebase {
    case keepTravel, forgetTravel
  }

  /// Clause 5: how the event rebases, if its movement is not the user's scrolling.
  private func rebase(_ event: Event, _ state: FoldState, _ movement: Movement) -> Rebase? {
    if event.source == .layout || movement.isAgainstFinger { return .keepTravel }
    if event.source == .program || state.memory.zooming || state.memory.last == nil || movement.isSideways {
      return .forgetTravel
    }
    return nil
  }

  /// Clause 6: decides about a scroll by the user.
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

  /// Fires the trigger of a decision.
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

  /// Derives the flags and the pager from the geometry.
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
  /// Restarts the measurement of travel.
  mutating func forgetTravel() {
    travelDown = 0
    travelUp = 0
  }
}
