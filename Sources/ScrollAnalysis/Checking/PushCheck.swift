import ScrollModel

/// Pushes at the bottom that can't count as the second pull: without a new translation, with one that points away from the
/// bottom, or before the content is said to rest.
struct PushCheck {
  /// A scroll view may report its last offset twice.
  private static let patience = 2
  /// A view may report the finger's first points before the content follows it.
  private static let signPatience = 3
  /// After such a pause between two scrolls, the content has rested, in microseconds.
  private static let rest: Int64 = 300_000

  private var unseen: Finding?
  private var opposite: Finding?
  private var restless: Finding?

  /// The time of the event before, if it is a scroll by the user without a drag.
  private var lastScroll: Int64?
  private var isDragging = false
  /// Whether the content has rested and no event has said so.
  private var missedRest = false

  var findings: [Finding] {
    let all = [(unseen, Self.patience), (opposite, Self.signPatience), (restless, Self.patience)]
    return all.compactMap { finding, patience in finding.flatMap { $0.count >= patience ? $0 : nil } }
  }

  mutating func add(_ step: CheckedEvent) {
    noteRest(step)
    guard step.event.kind == .scroll, step.isUsers, step.moved == 0, step.before.geometry.x == step.after.geometry.x,
      step.bounds.isAtBottom, !step.bounds.isBeyondBottom
    else { return }
    let isCounted = SafariRule().uncountedMovement(of: step.event, after: step.before) == nil
    if step.pull == 0, step.before.bottomLatch {
      unseen.note(
        .pushesWithoutTranslation, step, "a scroll at the bottom moves nothing and has no new translationY")
    } else if step.pull > 0, let translation = step.event.translationY, translation > 0, isCounted {
      opposite.note(
        .pushesWithWrongSign, step,
        "a push at the bottom moves nothing, and translationY is \(NumberText.rounded(translation)), away from the bottom"
      )
    } else if step.pull < 0, !step.before.bottomLatch, missedRest, isCounted {
      restless.note(
        .pushesWithoutRest, step,
        "a push at the bottom does not count, because neither scrollEnd nor dragBegin came before it")
    }
  }

  private mutating func noteRest(_ step: CheckedEvent) {
    switch step.event.kind {
    case .dragBegin, .dragEnd, .scrollEnd:
      if step.event.kind != .scrollEnd { isDragging = step.event.kind == .dragBegin }
      missedRest = false
      lastScroll = nil
    case .scroll:
      if let lastScroll, step.event.time - lastScroll >= Self.rest { missedRest = true }
      lastScroll = step.isUsers && !isDragging ? step.event.time : nil
    case .layout, .zoom, .zoomBegin, .zoomEnd: break
    }
  }
}
