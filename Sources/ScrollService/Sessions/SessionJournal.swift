import ScrollLog
import ScrollModel

/// The journal's entries about sessions that open and close, limited so that they can't flood it.
final class SessionJournal {
  private let journal: Journal
  private let clock: ServiceClock
  private var limit = MessageLimit()

  init(_ journal: Journal, _ clock: ServiceClock) {
    self.journal = journal
    self.clock = clock
  }

  func opened(_ session: Session, at position: Position) {
    if limit.admits(clock.monotonic()) { journal.log(.opened(session, at: position)) }
  }

  func closed(_ session: Session, _ reason: Closing.Reason, at position: Position) {
    if limit.admits(clock.monotonic()) { journal.log(.closed(session, reason, at: position)) }
  }

  /// Logs how many entries were suppressed.
  func tick(_ now: Int64) {
    if let count = limit.takeSuppressed(now) { journal.log(.sessionsSuppressed(count)) }
  }
}
