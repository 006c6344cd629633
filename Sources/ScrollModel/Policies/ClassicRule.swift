/// The plain rule of the delegate callbacks, for comparison and for apps that want nothing more.
///
/// Unknown sizes count as 0. The rule ignores insets, `source` and `rightToLeft`.
public struct ClassicRule: Equatable, Sendable {
  /// The distance from the session's first offset beyond which the button to the top appears, in points.
  public var topButtonDistance: Double = 450

  /// Creates the rule with its default parameter.
  public init() {}

  /// Folds an event into the state. Returns the clause that decided, if a trigger fired.
  func step(_ state: inout FoldState, _ event: Event) -> Reason? {
    state.geometry.update(with: event)
    if let scale = event.zoomScale { state.zoomScale = scale }
    if state.memory.firstY == nil { state.memory.firstY = state.geometry.y }

    let reason = decide(&state, event)
    if let reason {
      state.trigger = reason.trigger
      state.toolbar = reason.trigger.toolbar
    }
    derive(&state)
    return reason
  }

  private func decide(_ state: inout FoldState, _ event: Event) -> Reason? {
    let bottom = (state.geometry.contentHeight ?? 0) - (state.geometry.frameHeight ?? 0)
    let isPastBottom = state.geometry.y.map { $0 >= bottom } ?? false
    switch event.kind {
    case .dragBegin:
      if isPastBottom { state.bottomLatch = true }
    case .dragEnd:
      state.bottomLatch = state.bottomLatch && isPastBottom
    case .scroll:
      let translation = event.translationY ?? 0
      if translation > 0 { return .translatedDown(translationY: translation) }
      if state.bottomLatch { return .latchedAtBottom(translationY: translation) }
      return .notTranslatedDown(translationY: translation)
    case .zoom:
      guard let scale = event.zoomScale else { break }
      let minimum = state.geometry.minimumZoomScale
      return scale == minimum
        ? .scaleIsMinimum(zoomScale: scale)
        : .scaleIsNotMinimum(zoomScale: scale, minimumZoomScale: minimum)
    case .layout, .scrollEnd, .zoomBegin, .zoomEnd:
      break
    }
    return nil
  }

  private func derive(_ state: inout FoldState) {
    let geometry = state.geometry
    let contentHeight = geometry.contentHeight ?? 0
    if let y = geometry.y, let firstY = state.memory.firstY {
      state.reachBottom = contentHeight != 0 && contentHeight <= y + (geometry.frameHeight ?? 0)
      state.topButton = y - firstY > topButtonDistance
    }
    if let pager = pager(geometry) { state.pager = pager }
  }

  /// The pages; `nil` without widths, which leaves those known before.
  private func pager(_ geometry: Geometry) -> Pager? {
    guard let contentWidth = geometry.contentWidth, contentWidth > 0,
      let frameWidth = geometry.frameWidth, frameWidth > 0
    else { return nil }
    var pager = Pager()
    let count = max(1, Pager.wholePages(contentWidth / frameWidth))
    let indicatorWidth = frameWidth / Double(count)
    pager.count = count
    pager.indicatorWidth = indicatorWidth
    if let x = geometry.x {
      let offset = x / frameWidth * indicatorWidth
      // Absurd sizes can overflow. A place that is not a number is unknown.
      pager.indicatorOffset = offset.isFinite ? offset : nil
      pager.index = min(Pager.wholePages(x / frameWidth), count - 1)
    }
    return pager
  }
}
