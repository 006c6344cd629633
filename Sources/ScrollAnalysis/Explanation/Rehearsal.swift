import ScrollModel

/// A trial of gestures on a copy of a state, until the toolbar turns.
struct Rehearsal {
  private let policy: Policy
  private let toolbar: Toolbar
  private var gestures: [Gesture] = []
  private var isPossible = true

  /// The state after the gestures so far.
  private(set) var state: FoldState
  /// The way that turned the toolbar; `nil` if it has not turned.
  private(set) var way: Way?

  init(_ policy: Policy, _ state: FoldState) {
    self.policy = policy
    self.state = state
    toolbar = state.toolbar
  }

  /// Performs another gesture unless the toolbar has already turned. The trial fails with a gesture that no scroll view can
  /// report, such as one to an infinite offset.
  mutating func perform(_ gesture: Gesture) {
    guard way == nil, isPossible else { return }
    gestures.append(gesture)
    for event in gesture.events(after: state, by: policy) {
      do {
        try event.validate()
      } catch {
        isPossible = false
        return
      }
      _ = policy.step(&state, event)
    }
    if state.toolbar != toolbar, let trigger = state.trigger {
      way = Way(gestures: gestures, trigger: trigger)
    }
  }
}
