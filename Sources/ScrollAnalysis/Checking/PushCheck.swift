import ScrollModel

/// Pushes at the bottom that carry no new translation. Without one, a second pull can't be seen.
struct PushCheck {
  /// A scroll view may report its last offset twice.
  private static let patience = 2

  private var unseen: Finding?

  var findings: [Finding] { [unseen].compactMap { $0 }.filter { $0.count >= Self.patience } }

  mutating func add(_ step: CheckedEvent) {
    guard step.event.kind == .scroll, step.isUsers, step.before.bottomLatch, step.moved == 0, step.pull == 0,
      step.before.geometry.x == step.after.geometry.x, step.bounds.isAtBottom, !step.bounds.isBeyondBottom
    else { return }
    unseen.note(
      .pushesWithoutTranslation, step, "a scroll at the bottom moves nothing and has no new translationY")
  }
}
