import ScrollModel

/// Translations that give the distance since the last event, as the events of wheels and mice do.
struct PerEventCheck {
  /// A few events may have such a translation by chance.
  private static let patience = 4
  /// Movement that rounding can't imitate, and the rounding, in points.
  private static let shortest = 3.0
  private static let rounding = 1.0

  private var found: Finding?
  private var moves = 0
  /// Whether the present gesture has given a translation. The first one is the same either way.
  private var hasTranslation = false

  var findings: [Finding] { [found].compactMap { $0 }.filter { $0.count >= Self.patience && $0.count * 2 >= moves } }

  mutating func add(_ step: CheckedEvent) {
    switch step.event.kind {
    case .dragBegin, .dragEnd, .scrollEnd: hasTranslation = false
    case .scroll: if let translation = step.event.translationY { compare(translation, step) }
    case .layout, .zoom, .zoomBegin, .zoomEnd: break
    }
  }

  private mutating func compare(_ translation: Double, _ step: CheckedEvent) {
    defer { hasTranslation = true }
    guard hasTranslation, step.isUsers, step.moved.magnitude >= Self.shortest else { return }
    moves += 1
    let isMovement = (translation.magnitude - step.moved.magnitude).magnitude <= Self.rounding
    let follows = (step.pull + step.moved).magnitude <= Self.rounding
    if isMovement, !follows {
      found.note(
        .translationsPerEvent, step,
        "translationY is \(NumberText.rounded(translation)), which is only what the content moved since the last event")
    }
  }
}
