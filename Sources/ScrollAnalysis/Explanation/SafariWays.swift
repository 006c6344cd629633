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
    if state.geometry.toolbarPinned { return obstacles + [.pinned] }
    let needed = rule.hideDistance - state.memory.travelDown
    if bounds.isKnown, bounds.range < rule.minimumRange {
      obstacles.append(.shortContent(range: bounds.range, minimumRange: rule.minimumRange))
    } else if isTooShort(bounds) {
      obstacles.append(.collapses(range: bounds.range, needed: 2 * rule.minimumRange))
    } else if bounds.low + rule.hideOffset > ceiling(bounds) {
      obstacles.append(.withinHideOffset(distance: last - bounds.low, hideOffset: rule.hideOffset))
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
    let bounds = bounds(state)
    let isLongEnough = !bounds.isKnown || bounds.range >= rule.minimumRange
    guard !state.geometry.toolbarPinned, isLongEnough, !isTooShort(bounds) else { return nil }
    return [0, Self.littleMore].lazy.compactMap { hidingByScroll(startingHigher: $0) }.first
  }

  private func hidingByScroll(startingHigher extra: Double) -> Way? {
    var rehearsal = Rehearsal(policy, state)
    if state.memory.zooming { rehearsal.perform(.endPinch) }
    if let gesture = upForRoom(rehearsal.state, extra) { rehearsal.perform(gesture) }
    if let gesture = down(rehearsal.state) { rehearsal.perform(gesture) }
    return rehearsal.way
  }

  /// Up to an offset from which the user can scroll down far enough to hide; `nil` if the offset is already there, or if no
  /// offset is.
  private func upForRoom(_ state: FoldState, _ extra: Double) -> Gesture? {
    guard let last = state.memory.last else { return nil }
    let bounds = bounds(state)
    var start = last
    // Some movement is needed even if the distance is 0.
    let needed = max(rule.hideDistance - state.memory.travelDown, Self.littleMore)
    let room = ceiling(bounds) - max(rule.hideDistance, Self.littleMore) - extra
    if last + needed > ceiling(bounds) { start = min(start, room) }
    if state.memory.held {
      start = min(start, bounds.high - rule.minimumRange - state.memory.slack - Self.littleMore, room)
    }
    if state.bottomLatch, rule.revealAtBottom == .secondPull {
      start = min(start, bounds.high - rule.edgeTolerance - Self.littleMore)
    }
    guard start < last, start >= bounds.low else { return nil }
    let printable = NumberText.printable(start, .down)
    if printable >= bounds.low { start = printable }
    return .scrollUp(.init(points: last - start, to: start))
  }

  private func down(_ state: FoldState) -> Gesture? {
    guard let last = state.memory.last else { return nil }
    let already = state.memory.travelDown
    guard already < rule.hideDistance else {
      return .scrollDown(.init(points: Self.littleMore, to: last + Self.littleMore, isAny: true))
    }
    let bounds = bounds(state)
    // Travel within hideOffset of the top doesn't count, but a movement that ends beyond it does.
    let isWithinOffset = last + (rule.hideDistance - already) - bounds.low < rule.hideOffset
    var to = isWithinOffset ? bounds.low + rule.hideOffset : last + (rule.hideDistance - already)
    while already + (to - last) < rule.hideDistance || to - bounds.low < rule.hideOffset, to.isFinite { to = to.nextUp }
    let printable = NumberText.printable(to, .up)
    if printable <= ceiling(bounds) { to = printable }
    return .scrollDown(.init(points: to - last, to: to, already: already))
  }

  private var hidingByZoom: Way? {
    let minimum = state.geometry.minimumZoomScale
    let threshold = max(minimum * (1 + rule.zoomInDistance), state.zoomScale ?? minimum)
    // A reported scale is possible, even if it exceeds the reported maximum.
    guard !state.geometry.toolbarPinned, max(state.geometry.maximumZoomScale, state.zoomScale ?? 0) > threshold else {
      return nil
    }
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
    if bounds.isAtTop { return state.memory.zoomedIn || mayHaveCollapsed(state) ? .pullUp : .rest }
    let already = state.memory.travelUp
    let top = bounds.low + rule.edgeTolerance
    guard already < rule.showDistance else {
      return .scrollUp(.init(points: Self.littleMore, to: max(top, last - Self.littleMore), isAny: true))
    }
    var to = last - (rule.showDistance - already)
    while already - (to - last) < rule.showDistance, to.isFinite { to = to.nextDown }
    guard to > top else { return .scrollUp(.init(points: last - top, to: top, already: 0, place: .top)) }
    let printable = NumberText.printable(to, .down)
    if printable > top { to = printable }
    return .scrollUp(.init(points: last - to, to: to, already: already))
  }

  /// Whether stopping at the top may not show the toolbar, because its own collapse may have brought the top.
  private func mayHaveCollapsed(_ state: FoldState) -> Bool {
    state.memory.travelUp == 0 && (state.memory.deepest ?? 0) <= rule.minimumRange
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

  /// Whether hiding the toolbar at this height of the content left nothing to scroll before.
  private func isTooShort(_ bounds: ScrollBounds) -> Bool {
    guard let tooShort = state.memory.tooShort else { return false }
    return tooShort == state.geometry.contentHeight && bounds.range < 2 * rule.minimumRange
  }

  private func bounds(_ state: FoldState) -> ScrollBounds {
    ScrollBounds(state.geometry, edgeTolerance: rule.edgeTolerance)
  }

  /// The farthest offset at which scrolling down can still hide.
  private func ceiling(_ bounds: ScrollBounds) -> Double {
    guard bounds.isKnown else { return .greatestFiniteMagnitude }
    return rule.revealAtBottom == .arrival ? (bounds.high - rule.edgeTolerance).nextDown : bounds.high
  }
}
