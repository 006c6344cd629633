// What a person does to a scroll view, and the events that it reports of it.

import ScrollModel

/// What a person does to a scroll view.
public enum Gesture: Equatable, Sendable {
  /// How far to scroll.
  public struct Distance: Equatable, Sendable {
    /// Where scrolling ends, if at no offset of its own.
    public enum Place: Equatable, Sendable {
      case top
      case bottom
    }

    /// How far, in points, > 0.
    public let points: Double
    /// The offset at which that ends.
    public let to: Double
    /// How much of the way the rule has seen already, in points.
    public let already: Double
    /// The edge that is reached by it.
    public let place: Place?
    /// Whether any movement would do.
    public let isAny: Bool

    /// A distance, and where it ends.
    public init(points: Double, to: Double, already: Double = 0, place: Place? = nil, isAny: Bool = false) {
      self.points = points
      self.to = to
      self.already = already
      self.place = place
      self.isAny = isAny
    }
  }

  /// Scroll towards the bottom.
  case scrollDown(Distance)
  /// Scroll towards the top.
  case scrollUp(Distance)
  /// Come to rest.
  case rest
  /// Pull towards the bottom where nothing moves any more.
  case pullDown
  /// Pull towards the top where nothing moves any more.
  case pullUp
  /// Put the finger down.
  case touch
  /// Lift the finger.
  case lift
  /// End the pinch that is under way.
  case endPinch
  /// Pinch to a scale, which is the next one beyond the threshold.
  case zoomIn(to: Double, beyond: Double)
  /// Pinch back to a scale.
  case zoomOut(to: Double)

  /// The gesture as a person would say it.
  public var text: String {
    switch self {
    case .scrollDown(let distance): Self.text("down", distance)
    case .scrollUp(let distance): Self.text("up", distance)
    case .rest: "come to rest"
    case .pullDown: "pull once more at the bottom"
    case .pullUp: "pull once more at the top"
    case .touch: "put the finger down"
    case .lift: "lift the finger"
    case .endPinch: "end the pinch"
    case .zoomIn(_, let threshold): "zoom in beyond \(NumberText.rounded(threshold, places: 4))"
    case .zoomOut(let scale): "zoom out to \(NumberText.rounded(scale, places: 4))"
    }
  }

  private static func text(_ direction: String, _ distance: Distance) -> String {
    if distance.isAny { return "scroll \(direction)" }
    let points = NumberText.atLeast(distance.points)
    let more = distance.already > 0 ? " more" : ""
    let amount = "scroll \(direction) \(points)\(more) \(points == "1" ? "point" : "points")"
    return switch distance.place {
    case .top: amount + ", to the top"
    case .bottom: amount + ", to the bottom"
    case nil: amount + ", to \(NumberText.rounded(distance.to))"
    }
  }

  /// The events that a scroll view in a state reports of the gesture.
  ///
  /// The plain rule looks at the finger alone, so for it the finger's translation is told. The default rule follows the
  /// content; without a translation it decides the same or later, so that a wheel can do what a finger can.
  public func events(after state: FoldState, by policy: Policy) -> [Event] {
    let y = state.memory.last ?? state.geometry.y ?? 0
    switch self {
    case .scrollDown(let distance):
      return [Self.scroll(.scroll, state, to: distance.to, translation: policy.looksAtFinger ? -1 : nil)]
    case .scrollUp(let distance):
      return [Self.scroll(.scroll, state, to: distance.to, translation: policy.looksAtFinger ? 1 : nil)]
    case .rest: return [Self.scroll(.scrollEnd, state, to: y)]
    case .pullDown: return [Self.scroll(.scroll, state, to: y, translation: state.memory.pan - 1)]
    case .pullUp: return [Self.scroll(.scroll, state, to: y, translation: state.memory.pan + 1)]
    case .touch: return [Self.scroll(.dragBegin, state, to: y)]
    case .lift: return [Self.scroll(.dragEnd, state, to: y)]
    case .endPinch: return [Event(.zoomEnd, time: state.time ?? 0)]
    case .zoomIn(let scale, _), .zoomOut(let scale):
      var zoom = Event(.zoom, time: state.time ?? 0)
      zoom.zoomScale = scale
      return [Event(.zoomBegin, time: zoom.time), zoom, Event(.zoomEnd, time: zoom.time)]
    }
  }

  private static func scroll(
    _ kind: Event.Kind, _ state: FoldState, to y: Double, translation: Double? = nil
  ) -> Event {
    var event = Event(kind, time: state.time ?? 0)
    event.x = state.geometry.x ?? 0
    event.y = y
    event.translationY = translation
    return event
  }
}

extension Policy {
  /// Whether the rule decides by the finger's translation alone.
  fileprivate var looksAtFinger: Bool {
    if case .classic = rule { true } else { false }
  }
}
