import ScrollLog
import ScrollModel

/// The checkpoints with which walks begin or continue. Walks that need the same one share it.
final class WalkCheckpoints {
  /// From how many sessions on a checkpoint is kept for a while.
  private static let sharedSessions = 256

  private let view: LogView
  private let journal: LimitedJournal
  /// The reading that began last, while a walk needs it.
  private weak var newest: CheckpointReading?
  /// The checkpoint that was read last, if it is large: many walks may begin at the same one.
  private var recent: CheckpointReading?
  /// Fold versions whose replay has already been logged.
  private var loggedVersions: Set<UInt32> = []

  init(_ view: LogView, _ journal: LimitedJournal) {
    self.view = view
    self.journal = journal
  }

  /// Begins to read the last checkpoint before a position, or joins the walks that read it.
  ///
  /// - Throws: `ReadError` when the segment is gone or cannot be opened.
  func reading(before position: Position) throws(ReadError) -> CheckpointReading {
    shared(try view.checkpointReading(before: position))
  }

  /// Returns the reading of the same checkpoint that other walks have begun, or else the new one.
  func shared(_ reading: CheckpointReading) -> CheckpointReading {
    if let recent, recent.isSame(as: reading) { return recent }
    if let newest, newest.isSame(as: reading) { return newest }
    newest = reading
    return reading
  }

  /// Reads the next piece of a checkpoint.
  ///
  /// - Returns: The fold with all sessions once everything is read; otherwise `nil`.
  /// - Throws: `ReadError` when it is damaged.
  func step(_ reading: CheckpointReading) throws(ReadError) -> Projection? {
    guard let fold = try reading.step() else { return nil }
    if fold.sessions.count >= Self.sharedSessions { recent = reading }
    if let version = reading.otherVersion, loggedVersions.insert(version).inserted {
      journal.log(.refolding(version: version, before: reading.position - 1))
    }
    return fold
  }

  /// Forgets the checkpoint that was read last.
  func dropRecent() { recent = nil }
}
