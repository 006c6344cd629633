// Parts of a suite on their way to whoever has time.

import Synchronization

/// The parts of a suite, handed out one after the other, and what they came to.
final class WorkQueue: Sendable {
  private struct State {
    var next = 0
    var report = Report()
  }

  private let state = Mutex(State())
  private let count: Int
  /// So many failures are enough.
  private let failureLimit: Int
  private let progress: @Sendable (Int) -> Void

  /// - Parameter progress: told how many parts are handed out, each time.
  init(_ count: Int, failureLimit: Int, progress: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.failureLimit = failureLimit
    self.progress = progress
  }

  var report: Report { state.withLock { $0.report } }

  /// The next part, if there is one.
  func take() -> Int? {
    state.withLock { state in
      guard state.next < count, state.report.failures.count < failureLimit else { return nil }
      defer { state.next += 1 }
      progress(state.next)
      return state.next
    }
  }

  func note(_ report: Report) { state.withLock { $0.report.add(report) } }
}
