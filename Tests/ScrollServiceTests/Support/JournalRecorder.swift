// Keeps what the daemon says.

import Synchronization

@testable import ScrollService

/// Keeps what the daemon says.
final class JournalRecorder: Sendable {
  private let kept = Mutex<[String]>([])

  var messages: [String] { kept.withLock { $0 } }

  var journal: Journal { Journal { _, message in self.kept.withLock { $0.append(message) } } }
}
