extension SafariRule {
  /// Derives the pages and their indicator. Without both widths nothing changes.
  func derivePager(_ state: inout FoldState, _ event: Event) {
    if event.kind == .layout {
      let minimum = state.geometry.minimumZoomScale
      state.memory.pager.scale = max(1, (state.zoomScale ?? minimum) / minimum)
    }
    guard let contentWidth = state.geometry.contentWidth, contentWidth > 0,
      let frameWidth = state.geometry.frameWidth, frameWidth > 0
    else { return }

    let scale = state.memory.pager.scale
    let pageWidth = state.geometry.pageWidth
    let width = (pageWidth ?? frameWidth) * scale
    // Only a layout adds or removes pages. Zooming enlarges them.
    let known = event.kind == .layout ? nil : state.pager.count
    let count =
      known
      ?? (pageWidth == nil
        ? max(1, Pager.wholePages(contentWidth / width))
        : Pager.wholePages((contentWidth - frameWidth * scale) / width) + 1)
    let indicatorWidth = frameWidth / Double(count)
    state.pager.count = count
    state.pager.indicatorWidth = indicatorWidth
    guard let x = state.geometry.x else { return }

    let end = max(0, contentWidth - frameWidth)
    let distance = min(max(0, state.geometry.rightToLeft ? 0 - x : x), end)
    let indicatorOffset = distance / width * indicatorWidth
    // Absurd sizes can overflow. A place that is not a number is unknown.
    state.pager.indicatorOffset = indicatorOffset.isFinite ? indicatorOffset : nil

    let index = state.pager.index
    let isSameFrame = state.memory.pager.frameWidth == frameWidth
    switch index.map({ pageMove(event, from: $0, state.memory.pager.distance, distance, end, width, isSameFrame) }) {
    case .stay: state.pager.index = min(index ?? 0, count - 1)
    case .last: state.pager.index = count - 1
    case .nearest, nil: state.pager.index = min(Pager.wholePages(distance / width), count - 1)
    }
    state.memory.pager.distance = distance
    if index == nil || event.x != nil { state.memory.pager.frameWidth = frameWidth }
  }

  /// Where an event moves the tab bar's mark.
  private enum PageMove {
    case stay, last, nearest
  }

  /// Decides where an event moves the mark.
  ///
  /// - Parameters:
  ///   - index: the marked page.
  ///   - before: the distance from the first page before the event, if it is known.
  ///   - distance: the distance from the first page, between 0 and `end`.
  ///   - width: the distance between the starts of two pages.
  ///   - isSameFrame: whether the frame's width is what it was at the last horizontal offset.
  @inline(__always)
  private func pageMove(
    _ event: Event, from index: Int, _ before: Double?, _ distance: Double, _ end: Double, _ width: Double,
    _ isSameFrame: Bool
  ) -> PageMove {
    switch event.kind {
    case .scroll, .dragBegin, .dragEnd, .scrollEnd:
      if event.source == .layout { break }
      if end > edgeTolerance, distance >= end - edgeTolerance { return .last }
      return (distance / width - Double(index)).magnitude > 0.5 + pageHysteresis ? .nearest : .stay
    case .zoomBegin, .zoom, .zoomEnd:
      return .stay
    case .layout:
      break
    }
    // A layout that jumps by more than half a page inserted, removed or reordered pages; but a rotation jumps as well.
    guard let before, isSameFrame else { return .stay }
    return (distance - before).magnitude > width / 2 ? .nearest : .stay
  }
}
