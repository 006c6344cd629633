import Synchronization

@testable import ScrollService

/// Records the journal's entries.
final class JournalRecorder: Sendable {
  private let kept = Mutex<[JournalEntry]>([])

  var entries: [JournalEntry] { kept.withLock { $0 } }

  /// The messages, without those for debugging.
  var messages: [String] { entries.filter { $0.kind.priority < .debug }.map(\.line) }

  var journal: Journal { Journal { entry, _ in self.kept.withLock { $0.append(entry) } } }
}
