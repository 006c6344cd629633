/// Compares the machine's clock with the database's, since records have the machine's times, and the lag mixes both.
struct ClockComparison {
  /// What is to be reported.
  enum Report: Equatable {
    /// The machine's clock is ahead by this many microseconds; behind, if it is negative.
    case differs(Int64)
    /// After a difference, the clocks agree again.
    case agrees
  }

  /// How far clocks may differ, in microseconds.
  private static let tolerance: Int64 = 10_000_000

  /// The difference that was reported; `nil` when the clocks agreed last.
  private var reported: Int64?

  /// Compares the clocks at one moment, in microseconds since the Unix epoch. A difference is reported once, and again when it
  /// has changed.
  mutating func compare(own: Int64, server: Int64) -> Report? {
    let difference = own - server
    if abs(difference - (reported ?? 0)) <= Self.tolerance { return nil }
    let agrees = abs(difference) <= Self.tolerance
    reported = agrees ? nil : difference
    return agrees ? .agrees : .differs(difference)
  }
}

extension ClockComparison.Report: CustomStringConvertible {
  var description: String {
    switch self {
    case .differs(let microseconds):
      let seconds = abs(microseconds) / 1_000_000
      return """
        this machine’s clock is \(seconds) s \(microseconds > 0 ? "ahead of" : "behind") the database’s; check which is right \
        (timedatectl). Nothing is lost: records keep the times that scrolld gave them, and only the lag that is shown is wrong
        """
    case .agrees: return "this machine’s clock and the database’s agree again"
    }
  }
}
