/// The priority of a journal entry, with the numbers of syslog(3): the lower, the more important.
enum JournalPriority: Int32, Comparable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  /// Stored by the journal if the unit's `LogLevelMax=` permits it, and never written to a plain standard error.
  case debug = 7

  static func < (left: JournalPriority, right: JournalPriority) -> Bool { left.rawValue < right.rawValue }
}
