/// How far somebody got, and when.
struct ReachMeter {
  /// The shares whose first time is a measure.
  static let milestones = [0.25, 0.5, 0.75, 0.9, 1]
  /// Sums of sizes are rounded in their last digit.
  private static let rounding = 1e-12

  private(set) var reach: Double?
  private(set) var scrolled: Double?
  /// When each milestone was first reached, in microseconds since the first event.
  private(set) var reached = [Int64?](repeating: nil, count: milestones.count)

  mutating func add(_ view: ContentView, at time: Int64) {
    if let share = view.scrolled { scrolled = max(scrolled ?? 0, share) }
    guard view.reach > reach ?? -1 else { return }
    reach = view.reach
    for (index, milestone) in Self.milestones.enumerated()
    where reached[index] == nil && view.reach >= milestone - Self.rounding { reached[index] = time }
  }
}
