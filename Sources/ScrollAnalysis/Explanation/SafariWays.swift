import ScrollModel

/// The ways to turn the toolbar from a state of the default rule, and the obstacles.
///
/// A ``Rehearsal`` tries every way first. A way that fails because of rounding or odd parameters is left out.
struct SafariWays {
  let policy: Policy
  let rule: SafariRule
  let state: FoldState

  /// Added to a distance that must be exceeded, in points.
  private static let littleMore = 0.01

  var ways: [Way] {
    let found =
      state.toolbar == .shown
      ? [hidingByScroll, hidingByZoom] : [showingByScroll, showingByBottom, showingByZoom]
    return found.compactMap { $0 }
  }

  var obstacles: [Obstacle] {
    var obstacles: [Obstacle] = []
    if state.memory.zooming { obstacles.append(.pinching) }
    guard let last = state.memory.last else { return obstacles + [.noOffset] }
    let bounds = bounds(state)
    guard state.toolbar == .shown else {
      if state.memory.zoomedIn, let scale = state.zoomScale { obstacles.append(.zoomedIn(zoomScale: scale)) }
      return obstacles
    }
    let needed = rule.hideDistance - state.memory.travelDown
    if !rule.isHideable(state, bounds) {
      obstacles.append(.shortContent(range: bounds.range, minimumRange: rule.minimumRange))
    } else if state.memory.held {
      let distance = bounds.high - last
      obstacles.append(
        bounds.isKnown ? .heldAtBottom(distance: distance, minimumRange: rule.minimumRange) : .heldWithoutSizes)
    } else if last + needed > ceiling(bounds) {
      obstacles.append(.nearBottom(left: ceiling(bounds) - last, needed: needed))
    }
    return obstacles
  }

  // MARK: Hiding

  /// Down if there is room; else up first, and then down.
  private var hidingByScroll: Way? {
    guard rule.isHideable(state, bounds(state)) else { return nil }
    return [0, Self.littleMore].lazy.compactMap { hidingByScroll(startingHigher: $0) }.first
  }

  private func hidingByScroll(startingHigher extra: Double) -> Way? {
    var rehearsal = Rehearsal(policy, state)
    if state.memory.zooming { rehearsal.perform(.endPinch) }
    if let gesture = anyMovement(rehearsal.state) { rehearsal.perform(gesture) }
    if let gesture = upForRoom(rehearsal.state, extra) { rehearsal.perform(gesture) }
    if let gesture = down(rehearsal.state) { rehearsal.perform(gesture) }
    return rehearsal.way
  }

  /// The smallest movement, if the user scrolled far enough while the content was too short to hide the toolbar. Any
  /// movement makes that count now, even one up if there is no room below.
  private func anyMovement(_ state: FoldState) -> Gesture? {
    guard let last = state.memory.last, state.memory.travelDown >= rule.hideDistance, !state.memory.held else {
      return nil
    }
    let bounds = bounds(state)
    let isSecondPull = state.bottomLatch && rule.revealAtBottom == .secondPull
    if last + Self.littleMore <= ceiling(bounds), !isSecondPull {
      return .scrollDown(.init(points: Self.littleMore, to: last + Self.littleMore, isAny: true))
    }
    return .scrollUp(.init(points: Self.littleMore, to: last - Self.littleMore, isAny: true))
  }

  /// Up to an offset from which the user can scroll down far enough to hide; `nil` if the offset is already there, or if no
  /// offset is.
  private func upForRoom(_ state: FoldState, _ extra: Double) -> Gesture? {
    guard let last = state.memory.last else { return nil }
    let bounds = bounds(state)
    var start = last
    if last + rule.hideDistance - state.memory.travelDown > ceiling(bounds) {
      start = min(start, ceiling(bounds) - rule.hideDistance - extra)
    }
    if state.memory.held {
      start = min(start, bounds.high - rule.minimumRange - Self.littleMore, ceiling(bounds) - rule.hideDistance - extra)
    }
    if state.bottomLatch, rule.revealAtBottom == .secondPull {
      start = min(start, bounds.high - rule.edgeTolerance - Self.littleMore)
    }
    guard start < last, start >= bounds.low else { return nil }
    return .scrollUp(.init(points: last - start, to: start))
  }

  private func down(_ state: FoldState) -> Gesture? {
    guard let last = state.memory.last else { return nil }
    let already = state.memory.travelDown
    var to = last + (rule.hideDistance - already)
    while already + (to - last) < rule.hideDistance, to.isFinite { to = to.nextUp }
    return .scrollDown(.init(points: to - last, to: to, already: already))
  }

  private var hidingByZoom: Way? {
    let minimum = state.geometry.minimumZoomScale
    let threshold = max(minimum * (1 + rule.zoomInDistance), state.zoomScale ?? minimum)
    // A reported scale is possible, even if it exceeds the reported maximum.
    guard max(state.geometry.maximumZoomScale, state.zoomScale ?? 0) > threshold else { return nil }
    var rehearsal = Rehearsal(policy, state)
    rehearsal.perform(.zoomIn(to: threshold.nextUp, beyond: threshold))
    return rehearsal.way
  }

  // MARK: Showing

  /// Up by the distance that shows, or to the top if that is nearer.
  private var showingByScroll: Way? {
    var rehearsal = Rehearsal(policy, state)
    if state.memory.zooming { rehearsal.perform(.endPinch) }
    // At the top, zoomed content also needs a pull. Another attempt is needed if earlier travel first fires scrollDown.
    for _ in 0..<3 where rehearsal.way == nil {
      guard let gesture = up(rehearsal.state) else { break }
      rehearsal.perform(gesture)
    }
    return rehearsal.way
  }

  private func up(_ state: FoldState) -> Gesture? {
    guard let last = state.memory.last else { return nil }
    let bounds = bounds(state)
    if bounds.isAtTop { return state.memory.zoomedIn ? .pullUp : .rest }
    let already = state.memory.travelUp
    let top = bounds.low + rule.edgeTolerance
    guard already < rule.showDistance else {
      return .scrollUp(.init(points: Self.littleMore, to: max(top, last - Self.littleMore), isAny: true))
    }
    var to = last - (rule.showDistance - already)
    while already - (to - last) < rule.showDistance, to.isFinite { to = to.nextDown }
    guard to > top else { return .scrollUp(.init(points: last - top, to: top, already: 0, place: .top)) }
    return .scrollUp(.init(points: last - to, to: to, already: already))
  }

  private var showingByBottom: Way? {
    var rehearsal = Rehearsal(policy, state)
    if state.memory.zooming { rehearsal.perform(.endPinch) }
    let bounds = bounds(rehearsal.state)
    guard let last = rehearsal.state.memory.last, bounds.isKnown, bounds.range > rule.edgeTolerance else { return nil }
    switch rule.revealAtBottom {
    case .never: return nil
    case .arrival:
      if !bounds.isAtBottom {
        let bottom = bounds.high - rule.edgeTolerance
        rehearsal.perform(.scrollDown(.init(points: bottom - last, to: bottom, place: .bottom)))
      }
    case .secondPull:
      if !bounds.isAtBottom {
        rehearsal.perform(.scrollDown(.init(points: bounds.high - last, to: bounds.high, place: .bottom)))
      }
      if !rehearsal.state.bottomLatch { rehearsal.perform(.rest) }
    }
    rehearsal.perform(.pullDown)
    return rehearsal.way
  }

  private var showingByZoom: Way? {
    guard state.memory.zoomedIn else { return nil }
    var rehearsal = Rehearsal(policy, state)
    rehearsal.perform(.zoomOut(to: state.geometry.minimumZoomScale * (1 + rule.zoomTolerance)))
    return rehearsal.way
  }

  // MARK: Geometry

  private func bounds(_ state: FoldState) -> ScrollBounds {
    ScrollBounds(state.geometry, edgeTolerance: rule.edgeTolerance)
  }

  /// The farthest offset at which scrolling down can still hide.
  private func ceiling(_ bounds: ScrollBounds) -> Double {
    guard bounds.isKnown else { return .greatestFiniteMagnitude }
    return rule.revealAtBottom == .arrival ? (bounds.high - rule.edgeTolerance).nextDown : bounds.high
  }
}
