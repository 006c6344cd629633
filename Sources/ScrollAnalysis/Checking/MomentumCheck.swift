import ScrollModel

/// Translations that are still sent while the content moves on after a drag.
struct MomentumCheck {
  /// A last event of the drag may come late.
  private static let patience = 3

  private var stale: Finding?
  private var isMomentum = false

  var findings: [Finding] { [stale].compactMap { $0 }.filter { $0.count >= Self.patience } }

  mutating func add(_ step: CheckedEvent) {
    switch step.event.kind {
    case .dragEnd: isMomentum = true
    case .dragBegin, .scrollEnd: isMomentum = false
    case .scroll:
      guard isMomentum, step.isUsers, step.moved != 0, let translation = step.event.translationY, translation != 0
      else {
        return
      }
      stale.note(
        .translationsAfterDrag, step,
        "the content moves on after the drag, and translationY is still \(NumberText.rounded(translation))")
    case .layout, .zoom, .zoomBegin, .zoomEnd: break
    }
  }
}
