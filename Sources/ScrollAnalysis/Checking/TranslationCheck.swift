import ScrollModel

/// Translations that continue where the gesture before ended, and translations that run against the content.
struct TranslationCheck {
  /// A translation that a finger does not reach within one frame, in points.
  private static let longTranslation = 100.0
  /// How long a pause ends a gesture that reports no end, in microseconds.
  private static let longestPause: Int64 = 1_000_000
  /// How many events in a row, and how many points, are more than an app that shifts its content.
  private static let longestShift = (events: 3, points: 30.0)

  private var addUp: Finding?
  private var against: Finding?

  /// The last translation of the gesture before, until the present gesture has given one.
  private var lastGesture: Double?
  private var last: Double?
  private var lastTime: Int64 = 0
  private var isDragging = false
  private var run = (events: 0, points: 0.0, number: Int64(0))

  var findings: [Finding] { [addUp, against].compactMap { $0 } }

  mutating func add(_ step: CheckedEvent) {
    switch step.event.kind {
    case .dragBegin:
      isDragging = true
      beginGesture()
    case .scroll, .dragEnd, .scrollEnd:
      let isPause = step.event.time - lastTime > Self.longestPause
      if isPause, !isDragging { beginGesture() }
      noteContinuation(step)
      noteOpposition(step)
      lastTime = step.event.time
      if let translation = step.event.translationY { last = translation }
      if step.event.kind != .scroll {
        // What follows the end of a drag is its momentum, until the content rests.
        if step.event.kind == .dragEnd { isDragging = false } else if !isDragging { beginGesture() }
      }
    case .layout, .zoom, .zoomBegin, .zoomEnd: break
    }
  }

  private mutating func beginGesture() {
    if let last { lastGesture = last }
    last = nil
  }

  /// The first translation of a gesture is long, and nearer to the last one of the gesture before than to 0, although the
  /// content did not follow so far. Where the content can't move, pushes add up.
  private mutating func noteContinuation(_ step: CheckedEvent) {
    guard let translation = step.event.translationY, let before = lastGesture else { return }
    lastGesture = nil
    guard step.event.kind == .scroll, translation.magnitude >= Self.longTranslation,
      before.magnitude >= Self.longTranslation, (translation - before).magnitude <= translation.magnitude / 2,
      step.moved != 0, step.moved.magnitude < translation.magnitude / 2, !isAtEdge(step)
    else { return }
    addUp.note(
      .translationsAddUp, step,
      "translationY is \(NumberText.rounded(translation)) when a gesture begins, after \(NumberText.rounded(before)) "
        + "at the end of the one before, and the content moved \(CheckedEvent.points(step.moved))")
  }

  private func isAtEdge(_ step: CheckedEvent) -> Bool { step.bounds.isAtTop || step.bounds.isAtBottom }

  /// The content moved against the finger in several events in a row.
  private mutating func noteOpposition(_ step: CheckedEvent) {
    guard step.isUsers, step.event.translationY != nil, step.pull * step.moved > 0 else {
      if step.event.translationY != nil, step.pull != 0 || step.moved != 0 { run = (0, 0, 0) }
      return
    }
    if run.events == 0 { run.number = step.number }
    run.events += 1
    run.points += step.moved.magnitude
    guard run.events >= Self.longestShift.events, run.points >= Self.longestShift.points else { return }
    if run.events == Self.longestShift.events || against == nil {
      let direction = step.moved > 0 ? "down" : "up"
      against.note(
        .translationsAgainstContent, step,
        "the content moved \(direction) \(CheckedEvent.points(run.points)) in \(run.events) events since "
          + "\(run.number), and translationY \(step.moved > 0 ? "grew" : "fell")")
    } else {
      against?.repeated()
    }
  }
}
