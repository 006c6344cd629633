import ScrollModel

/// Content that shifts by a relayout, in a session in which no event has a source.
struct SourceCheck {
  /// How far a finger may seem to run against the content by rounding, in points.
  private static let shortest = 10.0

  /// The user may reach the top right after the content has shrunk, once.
  private static let patience = 2

  private var shift: Finding?
  private var returned: Finding?
  private var hasLabels = false

  var findings: [Finding] {
    if hasLabels { return [] }
    return (shift ?? returned.flatMap { $0.count >= Self.patience ? $0 : nil }).map { [$0] } ?? []
  }

  mutating func add(_ step: CheckedEvent) {
    guard step.isMotion else { return }
    if let source = step.event.source, source != .user { hasLabels = true }
    guard step.isUsers, let (cause, moved) = SafariRule().uncountedMovement(of: step.event, after: step.before) else {
      return
    }
    let amount = "the content moved \(moved < 0 ? "up" : "down") \(CheckedEvent.points(moved))"
    switch cause {
    case .anchoring(let grown, isExact: true) where moved != 0:
      let change = grown < 0 ? "shrunk" : "grown"
      shift.note(
        .neverLabelled, step, "\(amount), just as far as it had \(change), and no scroll names a source")
    case .anchoring(let grown, isExact: false) where grown < 0 && step.bounds.isAtTop:
      returned.note(
        .neverLabelled, step,
        "\(amount), to the top, after it had shrunk by \(CheckedEvent.points(grown)), and no scroll names a source")
    case .againstFinger where moved.magnitude >= Self.shortest:
      shift.note(
        .neverLabelled, step, "\(amount) against the finger, and no scroll names a source")
    case .layout, .program, .anchoring, .againstFinger, .zooming, .firstOffset, .sideways: break
    }
  }
}
