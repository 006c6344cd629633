import Synchronization

/// A queue of the parts of a suite, with the results of those that are done.
final class WorkQueue: Sendable {
  private struct State {
    var next = 0
    var report = Report()
  }

  private let state = Mutex(State())
  private let count: Int
  /// The queue ends after this many failures.
  private let failureLimit: Int
  private let progress: @Sendable (Int) -> Void

  /// - Parameter progress: called with the number of parts handed out so far.
  init(_ count: Int, failureLimit: Int, progress: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.failureLimit = failureLimit
    self.progress = progress
  }

  var report: Report { state.withLock { $0.report } }

  /// Returns the next part, if there is one.
  func take() -> Int? {
    state.withLock { state in
      guard state.next < count, state.report.failures.count < failureLimit else { return nil }
      defer { state.next += 1 }
      progress(state.next)
      return state.next
    }
  }

  func add(_ report: Report) { state.withLock { $0.report.add(report) } }
}
