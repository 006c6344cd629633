/// The progress of reading sessions, shown on a terminal when it takes longer than a second.
final class ReadProgress {
  /// How many events pass between two looks at the clock.
  private static let events: Int64 = 4096

  private let bar = ProgressBar("read", "events")
  private var total: Int64 = 0
  /// Called at each look at the clock; it may throw to stop.
  private let check: () throws -> Void

  init(check: @escaping () throws -> Void = {}) { self.check = check }

  /// Counts an event.
  func count() throws {
    total += 1
    guard total % Self.events == 0 else { return }
    try check()
    bar.update(total)
  }

  /// Removes the bar, for output to the same terminal.
  func finish() { bar.clear() }
}
