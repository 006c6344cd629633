import ScrollModel

/// The part of the content that is on screen, while the offset and both sizes are known.
struct ContentView: Equatable {
  /// The greatest share of the content with its insets that the screen reaches, 0 to 1.
  let reach: Double
  /// The share of the scrollable range above the offset, 0 to 1; `nil` when nothing scrolls.
  let scrolled: Double?
  /// The part of the content on screen, in shares of its height.
  let onScreen: ClosedRange<Double>

  /// Creates the view of a geometry. Returns `nil` while it isn't known, or for sizes that add up to infinity.
  init?(_ geometry: Geometry) {
    let bounds = ScrollBounds(geometry, edgeTolerance: 0)
    guard bounds.isKnown, let offset = bounds.offset, let frame = geometry.frameHeight,
      let content = geometry.contentHeight
    else { return nil }
    let whole = content + geometry.insetTop + geometry.insetBottom
    let seen = offset + frame + geometry.insetBottom
    guard whole > 0, whole.isFinite, seen.isFinite, bounds.range.isFinite else { return nil }
    reach = min(max(seen / whole, 0), 1)
    scrolled = bounds.range > 0 ? (offset - bounds.low) / bounds.range : nil
    if content > 0 {
      let top = min(max(offset / content, 0), 1)
      onScreen = top...min(max((offset + frame) / content, top), 1)
    } else {
      onScreen = 0...1
    }
  }
}
