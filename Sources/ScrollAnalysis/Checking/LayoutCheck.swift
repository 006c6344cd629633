import ScrollModel

/// Layouts that report the offset to which the user has scrolled, so that no scrolling is left for the scroll events.
struct LayoutCheck {
  /// An app may restore an offset without a change of sizes, once or twice.
  private static let patience = 3
  /// How many scroll events at most there are for each such layout: a feed that grows now and then is harmless.
  private static let rarity = 10

  private var following: Finding?
  private var scrolls = 0
  /// The event before, if it is a layout that moved the offset and changed a size.
  private var suspect: CheckedEvent?

  var findings: [Finding] {
    [following].compactMap { $0 }.filter { $0.count >= Self.patience && $0.count * Self.rarity >= scrolls }
  }

  mutating func add(_ step: CheckedEvent) {
    if step.event.kind == .scroll { scrolls += 1 }
    // The user's scroll event that comes next repeats what the layout has reported.
    if let suspect, step.event.kind == .scroll, step.isUsers, step.event.y == suspect.event.y { note(suspect) }
    suspect = nil
    guard step.event.kind == .layout, let from = step.before.geometry.y, let to = step.event.y, from != to else {
      return
    }
    if !changesSize(step) {
      note(step)
    } else if !step.bounds.isKnown || (step.bounds.low...step.bounds.high).contains(from) {
      // The new bounds did not have to move the offset.
      suspect = step
    }
  }

  private mutating func note(_ step: CheckedEvent) {
    let from = NumberText.rounded(step.before.geometry.y ?? 0)
    let to = NumberText.rounded(step.event.y ?? 0)
    following.note(
      .layoutsFollowScrolling, step, "a layout moves y from \(from) to \(to), as the scroll events around it do")
  }

  private func changesSize(_ step: CheckedEvent) -> Bool {
    var before = step.before.geometry
    before.x = step.after.geometry.x
    before.y = step.after.geometry.y
    return before != step.after.geometry
  }
}
