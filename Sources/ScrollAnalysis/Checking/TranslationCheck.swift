import ScrollModel

/// Translations that continue where the gesture before ended.
struct TranslationCheck {
  /// A translation that a finger does not reach within one frame, in points.
  private static let longTranslation = 100.0
  /// How long a pause ends a gesture that reports no end, in microseconds.
  private static let longestPause: Int64 = 1_000_000

  private var addUp: Finding?

  /// The last translation of the gesture before, until the present gesture has given one.
  private var lastGesture: Double?
  private var last: Double?
  private var lastTime: Int64 = 0
  private var isDragging = false

  var findings: [Finding] { [addUp].compactMap { $0 } }

  mutating func add(_ step: CheckedEvent) {
    switch step.event.kind {
    case .dragBegin:
      isDragging = true
      beginGesture()
    case .scroll, .dragEnd, .scrollEnd:
      let isPause = step.event.time - lastTime > Self.longestPause
      if isPause, !isDragging { beginGesture() }
      noteContinuation(step)
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
}
