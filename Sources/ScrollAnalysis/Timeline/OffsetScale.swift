// The part of the content that a drawing shows, and where in it an offset lies.

/// The part of the content that a drawing shows, and where in it an offset lies. The top is above.
struct OffsetScale {
  /// The offsets from the drawing's upper to its lower edge.
  let range: ClosedRange<Double>
  /// The end of the content where it lies too far below to be drawn.
  let endBelow: Double?

  init(_ timeline: Timeline) {
    let visited = timeline.offset.range ?? 0...0
    let upper = min(0, visited.lowerBound)
    // A jitter on content that doesn't scroll is not worth the whole height.
    let lower = max(visited.upperBound, upper + 10)
    let bottom = timeline.end.range?.upperBound ?? lower
    // A page of which little was read would leave the curve no room.
    let isNear = bottom / 2 - upper / 2 <= lower - upper
    range = upper...(isNear ? max(lower, bottom) : lower)
    endBelow = isNear ? nil : bottom
  }

  /// Where an offset lies, 0 at the upper edge and 1 at the lower.
  func fraction(_ offset: Double) -> Double {
    // Halves, because the difference of the largest numbers is none.
    let fraction = (offset / 2 - range.lowerBound / 2) / (range.upperBound / 2 - range.lowerBound / 2)
    return fraction >= 0 ? min(fraction, 1) : 0
  }
}
