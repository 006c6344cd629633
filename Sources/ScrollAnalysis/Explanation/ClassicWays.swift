import ScrollModel

/// The ways to turn the toolbar from a state of the plain rule, and the obstacles.
struct ClassicWays {
  let policy: Policy
  let rule: ClassicRule
  let state: FoldState

  /// Any movement decides. This distance in points is the one tried.
  private static let anyDistance = 1.0

  var ways: [Way] {
    let found =
      state.toolbar == .shown
      ? [hidingByScroll, hidingByZoom] : [showingByScroll, showingByBottom, showingByZoom]
    return found.compactMap { $0 }
  }

  var obstacles: [Obstacle] { state.toolbar == .shown && state.bottomLatch ? [.latched] : [] }

  private var y: Double { state.geometry.y ?? 0 }
  private var bottom: Double { (state.geometry.contentHeight ?? 0) - (state.geometry.frameHeight ?? 0) }

  private var hidingByScroll: Way? {
    var rehearsal = Rehearsal(policy, state)
    if state.bottomLatch {
      if y >= bottom {
        let above = (bottom - Self.anyDistance)
        rehearsal.perform(.scrollUp(.init(points: y - above, to: above)))
      }
      rehearsal.perform(.lift)
    }
    rehearsal.perform(.scrollDown(any(from: rehearsal.state.geometry.y ?? 0, Self.anyDistance)))
    return rehearsal.way
  }

  private var hidingByZoom: Way? {
    let minimum = state.geometry.minimumZoomScale
    guard max(state.geometry.maximumZoomScale, state.zoomScale ?? 0) > minimum else { return nil }
    var rehearsal = Rehearsal(policy, state)
    rehearsal.perform(.zoomIn(to: minimum.nextUp, beyond: minimum))
    return rehearsal.way
  }

  private var showingByScroll: Way? {
    var rehearsal = Rehearsal(policy, state)
    rehearsal.perform(.scrollUp(any(from: y, -Self.anyDistance)))
    return rehearsal.way
  }

  private var showingByBottom: Way? {
    var rehearsal = Rehearsal(policy, state)
    if !state.bottomLatch {
      guard state.geometry.y != nil else { return nil }
      if y < bottom { rehearsal.perform(.scrollDown(.init(points: bottom - y, to: bottom, place: .bottom))) }
      rehearsal.perform(.touch)
    }
    rehearsal.perform(.pullDown)
    return rehearsal.way
  }

  private var showingByZoom: Way? {
    let minimum = state.geometry.minimumZoomScale
    guard let scale = state.zoomScale, scale != minimum else { return nil }
    var rehearsal = Rehearsal(policy, state)
    rehearsal.perform(.zoomOut(to: minimum))
    return rehearsal.way
  }

  private func any(from y: Double, _ distance: Double) -> Gesture.Distance {
    .init(points: distance.magnitude, to: y + distance, isAny: true)
  }
}
