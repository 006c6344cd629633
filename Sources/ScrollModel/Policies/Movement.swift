/// How an event moved the content, and the finger or wheel that pulls it.
struct Movement {
  /// How far the content scrolled down since the previous event, within the bounds; 0 if no offset was known then.
  let moved: Double
  /// How far the finger moved down since the last reported translation. A negative value pulls towards the bottom.
  let pull: Double
  /// Whether the user pulls towards the bottom.
  let isPullingDown: Bool
  /// Whether the user pulls towards the top.
  let isPullingUp: Bool
  /// Whether the finger swipes sideways.
  let isSideways: Bool
  /// Whether the content moved against the finger's pull, which happens only when the app shifts it.
  let isAgainstFinger: Bool

  private let offset: Double

  /// Compares an event with what a rule remembers. The values are handed over one by one, because a copy of the whole state
  /// for every event would cost as much as the rule.
  ///
  /// - Parameters:
  ///   - y: the vertical offset after the event.
  ///   - last: the vertical offset before it, within the bounds known then.
  ///   - pan: the vertical translation before it.
  ///   - panX: the horizontal translation before it.
  @inline(__always)
  init(_ event: Event, _ bounds: ScrollBounds, y: Double?, last: Double?, pan: Double, panX: Double) {
    let offset = bounds.offset ?? 0
    self.offset = y ?? offset
    moved = bounds.offset == nil ? 0 : last.map { offset - $0 } ?? 0
    pull = event.translationY.map { $0 - pan } ?? 0
    isPullingDown = pull < 0 || (pull == 0 && (moved > 0 || bounds.isBeyondBottom))
    isPullingUp = pull > 0 || (pull == 0 && bounds.isBeyondTop)
    if let translationX = event.translationX, let translationY = event.translationY {
      // Both the whole drag and its latest part: a drag that began sideways can turn and scroll.
      isSideways =
        translationX.magnitude > 2 * translationY.magnitude
        && (translationX - panX).magnitude > 2 * pull.magnitude
    } else {
      isSideways = false
    }
    isAgainstFinger = (pull < 0 && moved < 0) || (pull > 0 && moved > 0)
  }

  /// Returns how far a pull at the bottom went: by the finger, else by the content, else as overscroll past the bound.
  func pullDistance(beyond bottom: Double) -> Double {
    if pull < 0 { return -pull }
    return moved > 0 ? moved : offset - bottom
  }
}
