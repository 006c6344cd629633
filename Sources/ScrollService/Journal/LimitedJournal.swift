/// A journal for messages that clients can cause: of each kind, it writes a few at once and counts the others, so that
/// even many users together can't flood the journal.
final class LimitedJournal {
  private struct Kind {
    var limit = MessageLimit()
    /// The last message that was suppressed.
    var last: JournalEntry?
  }

  private let journal: Journal
  private let clock: ServiceClock
  private var kinds: [JournalKind: Kind] = [:]

  init(_ journal: Journal, _ clock: ServiceClock) {
    self.journal = journal
    self.clock = clock
  }

  /// Writes an entry, or only counts it if too many of its kind were written shortly before.
  func log(
    _ entry: JournalEntry, file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    if kinds[entry.kind, default: Kind()].limit.admits(clock.monotonic()) {
      journal.log(entry, file: file, line: line, function: function)
    } else {
      kinds[entry.kind]?.last = entry
    }
  }

  /// Writes how many entries were only counted.
  func tick(_ now: Int64) {
    for (kind, state) in kinds {
      guard let last = state.last, let count = kinds[kind]?.limit.takeSuppressed(now) else { continue }
      kinds[kind]?.last = nil
      journal.log(.entriesSuppressed(count, last: last))
    }
  }
}
