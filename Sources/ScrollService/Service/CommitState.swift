// What the commit thread has been given.

import ScrollLog

/// What the commit thread has been given and has not answered yet: one thing at a time.
enum CommitState {
  case idle
  case writing
  case rolling
  case snapshotting
  case checking
  case syncing([Answer])
  /// The end; nothing is given to the thread any more.
  case stopping
  /// Writing failed for good: nothing is acknowledged any more.
  case failed

  var isIdle: Bool {
    if case .idle = self { return true }
    return false
  }
}
