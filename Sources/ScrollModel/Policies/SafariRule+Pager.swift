extension SafariRule {
  /// Derives the pages and their indicator. Without both widths nothing changes.
  func derivePager(_ state: inout FoldState, _ event: Event) {
    let geometry = state.geometry
    if event.kind == .layout {
      let minimum = geometry.minimumZoomScale
      state.memory.pageScale = max(1, (state.zoomScale ?? minimum) / minimum)
    }
    guard let contentWidth = geometry.contentWidth, contentWidth > 0,
      let frameWidth = geometry.frameWidth, frameWidth > 0
    else { return }

    let scale = state.memory.pageScale
    let width = (geometry.pageWidth ?? frameWidth) * scale
    var count = state.pager.count ?? 0
    // Zooming enlarges the pages, it doesn't add any.
    if count == 0 || !event.kind.isZoom {
      count =
        geometry.pageWidth == nil
        ? max(1, Pager.wholePages(contentWidth / width))
        : Pager.wholePages((contentWidth - frameWidth * scale) / width) + 1
      state.pager.count = count
    }
    let indicatorWidth = frameWidth / Double(count)
    state.pager.indicatorWidth = indicatorWidth
    guard let x = geometry.x else { return }

    let end = max(0, contentWidth - frameWidth)
    let distance = min(max(0, geometry.rightToLeft ? 0 - x : x), end)
    let indicatorOffset = distance / width * indicatorWidth
    // Absurd sizes can overflow. A place that is not a number is unknown.
    state.pager.indicatorOffset = indicatorOffset.isFinite ? indicatorOffset : nil
    let isFirst = state.pager.index == nil
    state.pager.index = page(state, event, distance: distance, end: end, width: width, count: count)
    state.memory.pageDistance = distance
    if isFirst || event.x != nil { state.memory.pageFrameWidth = frameWidth }
  }

  /// The page that the tab bar marks.
  ///
  /// - Parameters:
  ///   - distance: the distance from the first page, between 0 and `end`.
  ///   - end: the greatest distance.
  ///   - width: the distance between the starts of two pages.
  ///   - count: the number of pages.
  private func page(
    _ state: FoldState, _ event: Event, distance: Double, end: Double, width: Double, count: Int
  ) -> Int {
    let nearest = min(Pager.wholePages(distance / width), count - 1)
    guard let index = state.pager.index else { return nearest }
    switch event.kind {
    case .scroll, .dragBegin, .dragEnd, .scrollEnd:
      if event.source == .layout { break }
      if end > edgeTolerance, distance >= end - edgeTolerance { return count - 1 }
      if (distance / width - Double(index)).magnitude > 0.5 + pageHysteresis { return nearest }
      return min(index, count - 1)
    case .zoomBegin, .zoom, .zoomEnd:
      return min(index, count - 1)
    case .layout:
      break
    }
    // A layout that jumps by more than half a page inserted, removed or reordered pages; but a rotation jumps as well.
    if let before = state.memory.pageDistance, (distance - before).magnitude > width / 2,
      state.memory.pageFrameWidth == state.geometry.frameWidth
    {
      return nearest
    }
    return min(index, count - 1)
  }
}
