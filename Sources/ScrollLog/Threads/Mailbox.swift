import Platform

/// Jobs for a worker thread and the results of those it has done, both in order.
///
/// The loop submits jobs and takes results; the worker receives jobs and posts results.
///
/// Unchecked: what the two share is touched within the monitor only.
final class Mailbox<Job: Sendable, Result: Sendable>: @unchecked Sendable {
  /// What a worker receives.
  enum Delivery {
    case job(Job)
    case closed
  }

  private let wake: @Sendable () -> Void
  private let monitor = Monitor()
  private var jobs: [Job] = []
  private var results: [Result] = []
  private var isClosed = false

  /// - Parameter wake: called on the worker's thread with each result that finds no other waiting.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  /// Adds a job.
  func submit(_ job: Job) {
    monitor.locked { jobs.append(job) }
    // Outside the lock, since the worker would wake only to wait for it.
    monitor.signal()
  }

  /// Whether any results were posted since they were last taken.
  var hasResults: Bool { monitor.locked { !results.isEmpty } }

  /// Returns the results posted since the last call, in the order of their jobs.
  func takeResults() -> [Result] {
    monitor.locked {
      let taken = results
      results = []
      return taken
    }
  }

  /// Makes the worker receive ``Delivery/closed`` from now on. Jobs that it has not received are dropped.
  func close() {
    monitor.locked {
      isClosed = true
      jobs = []
    }
    monitor.signal()
  }

  /// Waits for the next job.
  func receive() -> Delivery {
    monitor.locked {
      while true {
        if isClosed { return .closed }
        if !jobs.isEmpty { return .job(jobs.removeFirst()) }
        monitor.wait()
      }
    }
  }

  /// Adds a result, and wakes the loop if no other result is waiting for it.
  func post(_ result: Result) {
    let isFirst = monitor.locked {
      results.append(result)
      return results.count == 1
    }
    if isFirst { wake() }
  }
}
