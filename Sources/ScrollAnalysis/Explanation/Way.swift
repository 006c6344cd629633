import ScrollModel

/// A way to turn the toolbar: the user's gestures, and the trigger that they finally fire.
public struct Way: Equatable, Sendable {
  /// The gestures in order. The last one turns the toolbar.
  public let gestures: [Gesture]
  /// The trigger that turns it.
  public let trigger: Trigger

  /// Creates a way from its gestures and their trigger.
  public init(gestures: [Gesture], trigger: Trigger) {
    self.gestures = gestures
    self.trigger = trigger
  }

  /// The gestures in words: `scroll up 7.5 more points, to 292.5`.
  public var text: String { gestures.map(\.text).joined(separator: ", then ") }

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
