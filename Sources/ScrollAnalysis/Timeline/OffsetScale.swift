/// The part of the content that a drawing shows, with the top of the page above.
struct OffsetScale {
  /// The offsets from the drawing's upper edge to its lower edge.
  let range: ClosedRange<Double>
  /// The end of the content if it is too far below to be drawn.
  let endBelow: Double?

  init(_ timeline: Timeline) {
    let visited = timeline.offset.range ?? 0...0
    let upper = min(0, visited.lowerBound)
    // Jitter on content that doesn't scroll must not fill the whole height.
    let lower = max(visited.upperBound, upper + 10)
    let bottom = timeline.end.range?.upperBound ?? lower
    // If the user read little of a long page, its end would leave no room for the curve.
    let isNear = bottom / 2 - upper / 2 <= lower - upper
    range = upper...(isNear ? max(lower, bottom) : lower)
    endBelow = isNear ? nil : bottom
  }

  /// The place of an offset, from 0 at the upper edge to 1 at the lower edge.
  func fraction(_ offset: Double) -> Double {
    // Halves, because the difference of the largest numbers overflows.
    let fraction = (offset / 2 - range.lowerBound / 2) / (range.upperBound / 2 - range.lowerBound / 2)
    return fraction >= 0 ? min(fraction, 1) : 0
  }
}
