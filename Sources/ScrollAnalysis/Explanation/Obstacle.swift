// What keeps the toolbar from turning where one would expect it to.

import ScrollModel

/// What keeps the toolbar from turning where one would expect it to. Lengths are points.
public enum Obstacle: Equatable, Sendable {
  /// The content can scroll less far than is needed to hide the toolbar at all.
  case shortContent(range: Double, minimumRange: Double)
  /// The toolbar was revealed at the bottom and stays until one has gone farther from it.
  case heldAtBottom(distance: Double, minimumRange: Double)
  /// The toolbar was revealed at the bottom and stays, and no sizes tell any more how far that is.
  case heldWithoutSizes
  /// Less is left to scroll down than hiding needs.
  case nearBottom(left: Double, needed: Double)
  /// A pinch is under way, and scrolling decides nothing.
  case pinching
  /// No event has told an offset, so that the next one only begins to measure.
  case noOffset
  /// Zoomed in, where reaching the top shows nothing.
  case zoomedIn(zoomScale: Double)
  /// `classic`: the bottom stays latched until a drag ends away from it.
  case latched
  /// The offset or the sizes are so large that doubles have no room for the distances of the rule.
  case numbersTooLarge

  /// The obstacle's name for programs.
  public var name: StaticString {
    switch self {
    case .shortContent: "shortContent"
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
    case .heldAtBottom(let distance, let minimum): [("distance", distance), ("minimumRange", minimum)]
    case .nearBottom(let left, let needed): [("left", left), ("needed", needed)]
    case .zoomedIn(let scale): [("zoomScale", scale)]
    case .heldWithoutSizes, .pinching, .noOffset, .latched, .numbersTooLarge: []
    }
  }

  /// The obstacle as a person would say it.
  public var text: String {
    switch self {
    case .shortContent(let range, let minimum):
      "no scrolling can hide it: only \(NumberText.points(range)) scroll, minimumRange is "
        + NumberText.rounded(minimum)
    case .heldAtBottom(let distance, let minimum):
      "it was revealed at the bottom and stays within minimumRange \(NumberText.rounded(minimum)) of it; "
        + "the bottom is \(NumberText.points(distance)) away"
    case .heldWithoutSizes:
      "it was revealed at the bottom and stays until a layout tells how far away that is"
    case .nearBottom(let left, let needed):
      "only \(NumberText.points(max(0, left))) are left to scroll down, and hiding needs "
        + NumberText.rounded(needed)
    case .pinching: "a pinch is under way, and scrolling decides nothing until it ends"
    case .noOffset: "no event has told where the content stands, so the next scroll only begins to measure"
    case .zoomedIn(let scale):
      "it is zoomed in to \(NumberText.rounded(scale, places: 4)), where reaching the top does not show it"
    case .latched: "the bottom is latched, and stays so until a drag ends away from it"
    case .numbersTooLarge: "its offset or sizes are too large for numbers to tell such distances"
    }
  }
}
