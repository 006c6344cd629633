import ScrollModel

/// Something that keeps the toolbar from turning when you would expect it to. Lengths are in points.
public enum Obstacle: Equatable, Sendable {
  /// The content scrolls less far than the minimum for hiding the toolbar.
  case shortContent(range: Double, minimumRange: Double)
  /// Hiding the toolbar at this height of the content left nothing to scroll.
  case collapses(range: Double, needed: Double)
  /// The content doesn't scroll beyond the distance from the top within which the toolbar never hides.
  case withinHideOffset(distance: Double, hideOffset: Double)
  /// The app needs its bar.
  case pinned
  /// The toolbar was revealed at the bottom and stays until the user has scrolled farther away.
  case heldAtBottom(distance: Double, minimumRange: Double)
  /// The toolbar was revealed at the bottom and stays, and the distance to the bottom is no longer known.
  case heldWithoutSizes
  /// Less is left to scroll down than hiding needs.
  case nearBottom(left: Double, needed: Double)
  /// A pinch is in progress, and scrolling has no effect.
  case pinching
  /// No event has reported an offset, so the next one only starts the measurement.
  case noOffset
  /// The content is zoomed in, so reaching the top does not show the toolbar.
  case zoomedIn(zoomScale: Double)
  /// `classic`: the bottom stays latched until a drag ends away from it.
  case latched
  /// The offset or the sizes are too large for a double to represent the distances of the rule.
  case numbersTooLarge

  /// The obstacle's name for programs.
  public var name: StaticString {
    switch self {
    case .shortContent: "shortContent"
    case .collapses: "collapses"
    case .withinHideOffset: "withinHideOffset"
    case .pinned: "pinned"
    case .heldAtBottom: "heldAtBottom"
    case .heldWithoutSizes: "heldWithoutSizes"
    case .nearBottom: "nearBottom"
    case .pinching: "pinching"
    case .noOffset: "noOffset"
    case .zoomedIn: "zoomedIn"
    case .latched: "latched"
    case .numbersTooLarge: "numbersTooLarge"
    }
  }

  /// The obstacle's numbers, by name.
  public var numbers: [(name: String, value: Double)] {
    switch self {
    case .shortContent(let range, let minimum): [("range", range), ("minimumRange", minimum)]
    case .collapses(let range, let needed): [("range", range), ("needed", needed)]
    case .withinHideOffset(let distance, let offset): [("distance", distance), ("hideOffset", offset)]
    case .heldAtBottom(let distance, let minimum): [("distance", distance), ("minimumRange", minimum)]
    case .nearBottom(let left, let needed): [("left", left), ("needed", needed)]
    case .zoomedIn(let scale): [("zoomScale", scale)]
    case .pinned, .heldWithoutSizes, .pinching, .noOffset, .latched, .numbersTooLarge: []
    }
  }

  /// The obstacle in words.
  public var text: String {
    switch self {
    case .shortContent(let range, let minimum):
      "scrolling can't hide it: the content scrolls only \(NumberText.points(range)), and minimumRange is "
        + NumberText.rounded(minimum)
    case .collapses(let range, let needed):
      "scrolling can't hide it: hiding it at this height of the content left nothing to scroll; the content scrolls "
        + "\(NumberText.points(range)), and has to scroll \(NumberText.rounded(needed)), twice minimumRange"
    case .withinHideOffset(let distance, let offset):
      "scrolling can't hide it: the content ends within hideOffset \(NumberText.rounded(offset)) of the top, which is "
        + "\(NumberText.points(distance)) away"
    case .pinned: "the app needs its bar (toolbarPinned), so neither scrolling nor zooming hides it"
    case .heldAtBottom(let distance, let minimum):
      "it was revealed at the bottom and stays within minimumRange \(NumberText.rounded(minimum)) of it; "
        + "the bottom is \(NumberText.points(distance)) away"
    case .heldWithoutSizes:
      "it was revealed at the bottom and stays until a layout reports how far away that is"
    case .nearBottom(let left, let needed):
      "only \(NumberText.points(max(0, left))) are left to scroll down, and hiding needs "
        + NumberText.rounded(needed)
    case .pinching: "a pinch is in progress, and scrolling has no effect until it ends"
    case .noOffset: "no event has reported the offset, so the next scroll only starts the measurement"
    case .zoomedIn(let scale):
      "it is zoomed in to \(NumberText.rounded(scale, places: 4)), where reaching the top does not show it"
    case .latched: "the bottom is latched until a drag ends away from it"
    case .numbersTooLarge: "its offset or sizes are too large for numbers to represent such distances"
    }
  }
}
