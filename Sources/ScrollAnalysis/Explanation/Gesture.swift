import ScrollModel

/// A gesture of the user.
public enum Gesture: Equatable, Sendable {
  /// How far to scroll.
  public struct Distance: Equatable, Sendable {
    /// The edge at which scrolling ends.
    public enum Place: Equatable, Sendable {
      case top
      case bottom
    }

    /// The distance in points, > 0.
    public let points: Double
    /// The offset at which scrolling ends.
    public let to: Double
    /// How far the user has already scrolled in this direction since the last decision, in points.
    public let already: Double
    /// The edge at which scrolling ends; `nil` if it is not an edge.
    public let place: Place?
    /// Whether any movement is enough.
    public let isAny: Bool

    /// Creates a distance.
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
  /// Stop scrolling.
  case rest
  /// Pull towards the bottom at the bottom.
  case pullDown
  /// Pull towards the top at the top.
  case pullUp
  /// Put the finger down.
  case touch
  /// Lift the finger.
  case lift
  /// End the pinch that is in progress.
  case endPinch
  /// Pinch to a scale just beyond a threshold.
  case zoomIn(to: Double, beyond: Double)
  /// Pinch back to a scale.
  case zoomOut(to: Double)

  /// The gesture in words.
  public var text: String {
    switch self {
    case .scrollDown(let distance): Self.text("down", distance)
    case .scrollUp(let distance): Self.text("up", distance)
    case .rest: "stop"
    case .pullDown: "pull again at the bottom"
    case .pullUp: "pull again at the top"
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

  /// Returns the events that a scroll view in a state reports for the gesture.
  ///
  /// The finger moves as far as the content, so that no rule can take the movement for scroll anchoring. A wheel, which has no
  /// translation, may need one more scroll after the content has changed its height.
  public func events(after state: FoldState, by policy: Policy) -> [Event] {
    let y = state.memory.last ?? state.geometry.y ?? 0
    switch self {
    case .scrollDown(let distance):
      return [Self.scroll(.scroll, state, to: distance.to, translation: translation(after: state, by: policy, -1))]
    case .scrollUp(let distance):
      return [Self.scroll(.scroll, state, to: distance.to, translation: translation(after: state, by: policy, 1))]
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

  /// The translation of a movement. The plain rule looks at it alone; the default rule compares it with the one before.
  private func translation(after state: FoldState, by policy: Policy, _ points: Double) -> Double {
    policy.looksAtFinger ? points : state.memory.pan + points
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
  /// Whether the rule uses only the finger's translation.
  fileprivate var looksAtFinger: Bool {
    if case .classic = rule { true } else { false }
  }
}
