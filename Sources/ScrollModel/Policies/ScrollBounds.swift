/// The vertical range within which a scroll view can scroll, and its offset within that range.
public struct ScrollBounds: Equatable, Sendable {
  /// The smallest offset, −insetTop.
  public let low: Double
  /// The largest offset, at least `low`.
  public let high: Double
  /// Whether both sizes that determine the bounds are known.
  public let isKnown: Bool
  /// The offset clamped to the bounds, but to `high` only if it is known; `nil` while the offset is unknown.
  public let offset: Double?
  /// Whether the offset is at the top.
  public let isAtTop: Bool
  /// Whether the offset is at the bottom of content that can scroll.
  public let isAtBottom: Bool
  /// Whether the raw offset is above the top by more than the tolerance.
  public let isBeyondTop: Bool
  /// Whether the raw offset is below the known bottom by more than the tolerance.
  public let isBeyondBottom: Bool

  /// The length of the range, ≥ 0.
  public var range: Double { high - low }

  /// Creates the bounds of a geometry. An offset within `edgeTolerance` points of an edge counts as at the edge.
  public init(_ geometry: Geometry, edgeTolerance: Double) {
    // Not −insetTop, which would be −0 without an inset and would appear as such in a reason.
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
