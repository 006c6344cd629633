// One way to turn the toolbar.

import ScrollModel

/// One way to turn the toolbar: what a person would do, in order, and the trigger that it fires in the end.
public struct Way: Equatable, Sendable {
  /// What to do, in order; the last of it turns the toolbar.
  public let gestures: [Gesture]
  /// The trigger that turns it.
  public let trigger: Trigger

  /// A way of its gestures and the trigger that they fire.
  public init(gestures: [Gesture], trigger: Trigger) {
    self.gestures = gestures
    self.trigger = trigger
  }

  /// The gestures as a person would say them: `scroll up 7.5 more points, to 292.5`.
  public var text: String { gestures.map(\.text).joined(separator: ", then ") }

  /// The events that perform the way on a state, as a scroll view would report them.
  public func events(after state: FoldState, by policy: Policy) -> [Event] {
    var state = state
    return gestures.flatMap { gesture in
      let events = gesture.events(after: state, by: policy)
      for event in events { _ = policy.step(&state, event) }
      return events
    }
  }
}
