// Runs the writer aside from the loop.

import ScrollModel

/// Runs a ``SegmentWriter`` on a thread of its own, so that the loop never waits for the disk.
///
/// Jobs are done in order, and their results come in the same order:
///
///     let thread = try CommitThread(opened.writer) { eventfd_write(descriptor, 1) }
///     thread.submit(.write(block))
///     // later, when the descriptor is readable:
///     for result in thread.takeResults() { … }
///
/// A job that found no space, or that doesn't begin where the log ends, changed nothing, so a block submitted behind one
/// that found no space is refused as ``WriteError/outOfOrder(expected:)``: the loop refuses the appends of both and
/// builds on at the expected position.
///
/// Unchecked: jobs and results are touched within the monitor only, and the writer by the thread only.
public final class CommitThread: @unchecked Sendable {
  private let writer: SegmentWriter
  private let wake: @Sendable () -> Void
  private let monitor = Monitor()
  private var jobs: [CommitJob] = []
  private var results: [CommitResult] = []
  private var thread: WorkerThread?

  /// Starts the thread.
  ///
  /// - Parameter wake: called on the thread when there are results and there were none before.
  /// - Throws: the C library's error when there can be no further thread.
  public init(
    _ writer: SegmentWriter, wake: @escaping @Sendable () -> Void
  ) throws(ErrorCode) {
    self.writer = writer
    self.wake = wake
    thread = try WorkerThread { [self] in run() }
  }

  /// Gives the thread a job. Nothing must follow ``CommitJob/stop``.
  public func submit(_ job: CommitJob) {
    monitor.locked {
      jobs.append(job)
      monitor.signal()
    }
  }

  /// Takes the results that came since the last call, in the order of their jobs.
  public func takeResults() -> [CommitResult] {
    monitor.locked {
      let taken = results
      results = []
      return taken
    }
  }

  /// Waits for the thread's end after ``CommitJob/stop``; to be called once.
  public func join() { thread?.join() }

  private func run() {
    while true {
      let job = next()
      post(writer.perform(job))
      if case .stop = job { return }
    }
  }

  /// Waits for the next job; a sync that is due comes first.
  private func next() -> CommitJob {
    monitor.locked {
      while true {
        guard let due = writer.syncDue else {
          if !jobs.isEmpty { return jobs.removeFirst() }
          monitor.wait()
          continue
        }
        let left = due - writer.monotonicNow
        if left <= 0 { return .sync }
        if !jobs.isEmpty { return jobs.removeFirst() }
        monitor.wait(microseconds: left)
      }
    }
  }

  private func post(_ result: CommitResult) {
    let isFirst = monitor.locked {
      results.append(result)
      return results.count == 1
    }
    if isFirst { wake() }
  }
}
