// Keeps what the daemon says.

import Synchronization

@testable import ScrollService

/// Keeps what the daemon says.
final class JournalRecorder: Sendable {
  private let kept = Mutex<[JournalEntry]>([])

  var entries: [JournalEntry] { kept.withLock { $0 } }

  /// The texts of what matters to people, without what is for debugging.
  var messages: [String] { entries.filter { $0.kind.priority < .debug }.map(\.line) }

  var journal: Journal { Journal { entry, _ in self.kept.withLock { $0.append(entry) } } }
}
