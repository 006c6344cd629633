/// The default rule: the five triggers of the delegate callbacks, made robust against bounces, jitter, relayouts,
/// collapsing headers, programs that scroll, lost events, and pages too short to scroll.
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
  /// The distance from the top within which the toolbar never hides.
  public var hideOffset: Double = 0
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
    let scaleBefore = state.zoomScale
    let heightBefore = state.geometry.contentHeight
    let isHeldLayout = event.kind == .layout && state.memory.held
    let boundsBefore = isHeldLayout ? ScrollBounds(state.geometry, edgeTolerance: edgeTolerance) : nil
    state.geometry.update(with: event)
    if let scale = event.zoomScale { state.zoomScale = scale }
    let bounds = ScrollBounds(state.geometry, edgeTolerance: edgeTolerance)
    let movement = Movement(
      event, bounds, y: state.geometry.y, last: state.memory.last, pan: state.memory.pan, panX: state.memory.panX)
    let isMotion = event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd
    var reason: Reason?

    // 1. What a layout changed: the room for a bar that was revealed at the bottom, and the content above the offset.
    if event.kind == .layout { noteResize(&state, event, heightBefore, boundsBefore, bounds) }

    // 2. A pinch moves the content without scrolling.
    if event.kind.isZoom {
      state.memory.zooming = event.kind == .zoomBegin ? true : event.kind == .zoomEnd ? false : state.memory.zooming
      state.memory.forgetTravel()
    }

    // 3. Zooming in hides, zooming back to the minimum shows.
    if event.kind == .layout || event.kind == .zoom || event.kind == .zoomEnd {
      decideZoom(&state, event, scaleBefore: scaleBefore, &reason)
    }

    // 4. A drag that begins at the bottom is a second pull.
    if event.kind == .dragBegin { state.bottomLatch = bounds.isAtBottom }

    // 5 and 6. Scrolling, if the movement is the user's.
    var isLayout = event.source == .layout
    if isMotion {
      let uncounted = uncountedMovement(
        movement, event.source, grown: state.memory.grown, guessed: state.memory.guessed,
        zooming: state.memory.zooming, isFirst: state.memory.last == nil)
      switch uncounted {
      case nil: decideScroll(&state, bounds, movement, &reason)
      case .layout, .program, .anchoring, .againstFinger: break
      case .firstOffset, .sideways, .zooming:
        let isStill = uncounted == .sideways && movement.moved == 0
        if !isStill { state.memory.forgetTravel() }
      }
      if case .anchoring(_, let isExact) = uncounted {
        isLayout = true
        state.memory.guessed = !isExact
      } else {
        state.memory.guessed = false
      }
      state.memory.grown = 0
      // A lost zoomEnd must not blind the rule.
      if event.kind != .scroll, event.source ?? .user == .user { state.memory.zooming = false }
    }

    // 7. What the rule remembers for the next event.
    remember(&state, event, bounds)

    // 8. A pinned toolbar is shown. With nothing to scroll, or back at the top, it is shown, whatever the source.
    if state.toolbar == .hidden, state.geometry.toolbarPinned { fire(.pinned, &state, &reason) }
    if state.toolbar == .hidden, !state.memory.zoomedIn, !state.memory.zooming, event.kind != .zoom {
      if bounds.isKnown, bounds.range <= edgeTolerance {
        noteTooShort(&state)
        fire(.nothingScrolls(range: bounds.range, edgeTolerance: edgeTolerance), &state, &reason)
      } else if isMotion || event.kind == .zoomEnd, bounds.isAtTop, movement.moved <= 0, !(movement.pull < 0),
        !isOwnCollapse(state.memory.deepest, state.memory.travelUp, movement, isLayout: isLayout)
      {
        fire(.atTop(offset: bounds.offset ?? bounds.low, top: bounds.low), &state, &reason)
      }
    }
    if state.toolbar == .shown { state.memory.deepest = nil }

    deriveFlags(&state, bounds)
    derivePager(&state, event)
    return reason
  }

  /// Whether the toolbar can hide where the view is: the content scrolls far enough, and the offset is far enough from the top.
  public func isHideable(_ state: FoldState, _ bounds: ScrollBounds) -> Bool {
    isHideable(bounds, contentHeight: state.geometry.contentHeight, tooShort: state.memory.tooShort)
  }

  @inline(__always)
  private func isHideable(_ bounds: ScrollBounds, contentHeight: Double?, tooShort: Double?) -> Bool {
    if let tooShort, tooShort == contentHeight, bounds.range < 2 * minimumRange { return false }
    if let offset = bounds.offset, offset - bounds.low < hideOffset { return false }
    return !bounds.isKnown || bounds.range >= minimumRange
  }

  /// Clause 1: how much room the frame and the insets took from a bar revealed at the bottom, and how much the content grew.
  ///
  /// - Parameter boundsBefore: the bounds before the layout if the bar is held.
  private func noteResize(
    _ state: inout FoldState, _ event: Event, _ heightBefore: Double?, _ boundsBefore: ScrollBounds?,
    _ bounds: ScrollBounds
  ) {
    let growth = heightBefore.map { (state.geometry.contentHeight ?? $0) - $0 } ?? 0
    if let boundsBefore, bounds.isKnown, boundsBefore.isKnown {
      state.memory.slack = max(0, state.memory.slack + bounds.high - boundsBefore.high - growth)
    }
    state.memory.grown = event.y == nil ? state.memory.grown + growth : 0
  }

  /// Clause 3. A pinch trembles around the minimum before it grows, and a layout can raise the minimum to the present scale.
  private func decideZoom(
    _ state: inout FoldState, _ event: Event, scaleBefore: Double?, _ reason: inout Reason?
  ) {
    let minimum = state.geometry.minimumZoomScale
    if let scale = event.zoomScale {
      let threshold = minimum * (1 + zoomInDistance)
      if scale > scaleBefore ?? minimum, scale > threshold, !state.geometry.toolbarPinned {
        return fire(.zoomedIn(zoomScale: scale, threshold: threshold), &state, &reason)
      }
    } else if event.kind == .zoomEnd {
      return
    }
    guard state.memory.zoomedIn else { return }
    let scale = state.zoomScale ?? minimum
    let threshold = minimum * (1 + zoomTolerance)
    if scale <= threshold { fire(.zoomedOut(zoomScale: scale, threshold: threshold), &state, &reason) }
  }

  /// Clause 6: decides about a scroll by the user.
  private func decideScroll(
    _ state: inout FoldState, _ bounds: ScrollBounds, _ movement: Movement, _ reason: inout Reason?
  ) {
    let isHideable = isHideable(
      bounds, contentHeight: state.geometry.contentHeight, tooShort: state.memory.tooShort)
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
    let canHide = isHideable && !state.memory.held && !state.geometry.toolbarPinned
    let down = canHide ? max(0, state.memory.travelDown + movement.moved) : 0
    let up = max(0, state.memory.travelUp - movement.moved)
    state.memory.travelDown = down
    state.memory.travelUp = up
    if movement.moved > 0 {
      guard canHide, state.trigger != .scrollDown, down >= hideDistance else { return }
      fire(.travelledDown(travelDown: down, hideDistance: hideDistance), &state, &reason)
      state.memory.travelDown = down
      state.memory.hidAt = state.geometry.contentHeight
    } else {
      guard state.trigger != .scrollUp, up >= showDistance else { return }
      fire(.travelledUp(travelUp: up, showDistance: showDistance), &state, &reason)
      state.memory.travelUp = up
    }
  }

  /// Clause 7: what the rule remembers for the next event.
  private func remember(_ state: inout FoldState, _ event: Event, _ bounds: ScrollBounds) {
    if let offset = bounds.offset {
      state.memory.last = offset
      if bounds.isKnown, bounds.high - offset > minimumRange + state.memory.slack { state.memory.held = false }
      if state.toolbar == .hidden {
        let depth = offset - bounds.low
        state.memory.deepest = state.memory.deepest.map { max($0, depth) } ?? depth
      }
    }
    if !state.memory.held { state.memory.slack = 0 }
    if event.kind == .scrollEnd, event.source != .layout, bounds.isAtBottom { state.bottomLatch = true }
    state.bottomLatch = state.bottomLatch && bounds.isAtBottom
    if event.kind == .dragBegin || event.kind == .dragEnd {
      state.memory.pan = 0
      state.memory.panX = 0
    } else {
      if let translation = event.translationY { state.memory.pan = translation }
      if let translation = event.translationX { state.memory.panX = translation }
    }
  }

  /// Clause 8: notes a height at which hiding the bar leaves nothing to scroll, so that it doesn't hide there again.
  private func noteTooShort(_ state: inout FoldState) {
    guard state.trigger == .scrollDown, let hidAt = state.memory.hidAt, let height = state.geometry.contentHeight,
      hidAt - height <= 2 * minimumRange
    else { return }
    state.memory.tooShort = hidAt
  }

  /// Clause 8: whether the bar's own collapse brought the view to the top, rather than someone who scrolled there.
  private func isOwnCollapse(_ deepest: Double?, _ travelUp: Double, _ movement: Movement, isLayout: Bool) -> Bool {
    guard let deepest, deepest <= minimumRange else { return false }
    return isLayout || (movement.moved == 0 && travelUp == 0)
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
    case .scrollUp, .scrollDown, .pinned: break
    }
  }

  /// Derives whether the bottom is reached and whether the button to the top is visible.
  private func deriveFlags(_ state: inout FoldState, _ bounds: ScrollBounds) {
    guard let y = state.geometry.y, let offset = bounds.offset else { return }
    let contentHeight = state.geometry.contentHeight ?? 0
    let seen = max(y, bounds.low) + (state.geometry.frameHeight ?? 0) + edgeTolerance
    state.reachBottom = contentHeight != 0 && contentHeight + state.geometry.insetBottom <= seen
    let fromTop = offset - bounds.low
    if fromTop > topButtonDistance {
      state.topButton = true
    } else if fromTop <= max(topButtonDistance - topButtonHysteresis, min(edgeTolerance, topButtonDistance)) {
      state.topButton = false
    }
  }
}

extension RuleMemory {
  /// Restarts the measurement of travel.
  mutating func forgetTravel() {
    travelDown = 0
    travelUp = 0
  }
}
