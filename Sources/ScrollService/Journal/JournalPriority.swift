// How much an entry of the journal matters.

/// How much an entry of the journal matters, by syslog(3): the lower the number, the more.
enum JournalPriority: Int32, Comparable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  /// Kept by the journal where the unit's `LogLevelMax=` lets it through, and not written to a plain standard error.
  case debug = 7

  static func < (left: JournalPriority, right: JournalPriority) -> Bool { left.rawValue < right.rawValue }
}
