import ScrollModel

/// An event with what it changed.
struct CheckedEvent {
  let event: Event
  let number: Int64
  let before: FoldState
  let after: FoldState

  init(_ event: Event, number: Int64, from before: FoldState, to after: FoldState) {
    self.event = event
    self.number = number
    self.before = before
    self.after = after
  }

  /// Whether the event reports motion.
  var isMotion: Bool { event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd }
  /// Whether the feeder says, or leaves it open, that the user caused the event.
  var isUsers: Bool { event.source ?? .user == .user }
  /// How far the content moved down, in points, between offsets within the bounds.
  var moved: Double {
    guard let last = before.memory.last, let now = after.memory.last else { return 0 }
    return now - last
  }
  /// What the event adds to the vertical translation before it.
  var pull: Double { event.translationY.map { $0 - before.memory.pan } ?? 0 }
  /// The bounds after the event, with the default tolerance.
  var bounds: ScrollBounds { ScrollBounds(after.geometry, edgeTolerance: SafariRule().edgeTolerance) }

  /// A length for an observation.
  static func points(_ value: Double) -> String { NumberText.points(value.magnitude) }
}

extension Finding? {
  /// Counts a step that shows a problem. The first one makes the observation.
  mutating func note(_ problem: Finding.Problem, _ step: CheckedEvent, _ observation: @autoclosure () -> String) {
    if self == nil { self = Finding(problem, number: step.number, observation()) } else { self?.repeated() }
  }
}
