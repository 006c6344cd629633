// How far a scroll view can scroll, and where in that range it stands.

/// How far a scroll view can scroll vertically, and where in that range it stands.
public struct ScrollBounds: Equatable, Sendable {
  /// The smallest offset, −insetTop.
  public let low: Double
  /// The largest offset, at least `low`.
  public let high: Double
  /// Whether both sizes that make the bounds were given.
  public let isKnown: Bool
  /// The offset kept within the bounds (above `high` only while that isn't known); `nil` while there is none.
  public let offset: Double?
  /// Whether the offset is at the top.
  public let isAtTop: Bool
  /// Whether the offset is at the bottom of content that scrolls at all.
  public let isAtBottom: Bool
  /// Whether the raw offset is above the top by more than the tolerance.
  public let isBeyondTop: Bool
  /// Whether the raw offset is below the known bottom by more than the tolerance.
  public let isBeyondBottom: Bool

  /// How far the content can scroll, ≥ 0.
  public var range: Double { high - low }

  /// The bounds that a geometry makes; an edge counts as reached within `edgeTolerance` points.
  public init(_ geometry: Geometry, edgeTolerance: Double) {
    // Not −insetTop: without an inset that would be −0, which reads badly in a reason.
    low = 0 - geometry.insetTop
    let frameHeight = geometry.frameHeight ?? 0
    high = max(low, (geometry.contentHeight ?? 0) + geometry.insetBottom - frameHeight)
    isKnown = geometry.contentHeight != nil && frameHeight > 0
    guard let y = geometry.y else {
      offset = nil
      isAtTop = false
      isAtBottom = false
      isBeyondTop = false
      isBeyondBottom = false
      return
    }
    let kept = isKnown ? min(max(y, low), high) : max(y, low)
    offset = kept
    isAtTop = kept <= low + edgeTolerance
    isAtBottom = isKnown && high - low > edgeTolerance && kept >= high - edgeTolerance
    isBeyondTop = y < low - edgeTolerance
    isBeyondBottom = isKnown && y > high + edgeTolerance
  }
}
