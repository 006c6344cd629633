import ScrollModel

/// A way to turn the toolbar: the user's gestures, and the trigger that they finally fire.
public struct Way: Equatable, Sendable {
  /// What must be different from the movement before, which went the same way and was not counted.
  public enum Condition: Equatable, Sendable {
    /// The source must be `user`.
    case userSource
    /// The translations must change as the content moves.
    case followingTranslation
    /// The swipe must not be sideways.
    case notSideways
    /// The push must bring a translation that differs from the one before.
    case newTranslation
    /// `classic`: a finger must be below its starting point.
    case fingerBelowStart
    /// `classic`: the finger must not be below its starting point.
    case fingerNotBelowStart

    /// The condition's name for programs.
    public var name: StaticString {
      switch self {
      case .userSource: "userSource"
      case .followingTranslation: "followingTranslation"
      case .notSideways: "notSideways"
      case .newTranslation: "newTranslation"
      case .fingerBelowStart: "fingerBelowStart"
      case .fingerNotBelowStart: "fingerNotBelowStart"
      }
    }

    /// The condition in words that follow the gestures.
    public var text: String {
      switch self {
      case .userSource: "with source user"
      case .followingTranslation: "with a translation that follows the content"
      case .notSideways: "in a swipe that is not sideways"
      case .newTranslation: "with a translationY that changes"
      case .fingerBelowStart: "with a finger below its starting point"
      case .fingerNotBelowStart: "without a finger below its starting point"
      }
    }
  }

  /// The gestures in order. The last one turns the toolbar.
  public let gestures: [Gesture]
  /// The trigger that turns it.
  public let trigger: Trigger
  /// What must be different from the last movement, so that this one is not in vain; `nil` if nothing must.
  public internal(set) var condition: Condition?

  /// Creates a way from its gestures and their trigger.
  public init(gestures: [Gesture], trigger: Trigger, condition: Condition? = nil) {
    self.gestures = gestures
    self.trigger = trigger
    self.condition = condition
  }

  /// The gestures and the condition in words: `scroll up 7.5 more points, to 292.5`.
  public var text: String {
    let gestures = gestures.map(\.text).joined(separator: ", then ")
    return gestures + (condition.map { ", \($0.text)" } ?? "")
  }

  /// Returns the events that a scroll view in a state reports for the gestures.
  public func events(after state: FoldState, by policy: Policy) -> [Event] {
    var state = state
    return gestures.flatMap { gesture in
      let events = gesture.events(after: state, by: policy)
      for event in events { _ = policy.step(&state, event) }
      return events
    }
  }
}
