import ScrollModel

/// Scrolling in a view whose sizes no layout has given.
struct SizeCheck {
  /// So many events may come before the first layout, which another thread may send.
  private static let patience = 3

  private var vertical: Finding?
  private var horizontal: Finding?

  var findings: [Finding] {
    let found = [vertical, horizontal].compactMap { $0 }.filter { $0.count >= Self.patience }
    return found.first.map { [$0] } ?? []
  }

  mutating func add(_ step: CheckedEvent) {
    guard step.isMotion else { return }
    let (before, after) = (step.before.geometry, step.after.geometry)
    if let from = before.y, let to = after.y, from != to, after.contentHeight == nil || after.frameHeight ?? 0 == 0 {
      vertical.note(.noSizes, step, "the view scrolls, and no layout has given contentHeight and frameHeight")
    }
    if let from = before.x, let to = after.x, from != to, after.contentWidth == nil || after.frameWidth ?? 0 == 0 {
      horizontal.note(.noSizes, step, "the view scrolls sideways, and no layout has given contentWidth and frameWidth")
    }
  }
}
