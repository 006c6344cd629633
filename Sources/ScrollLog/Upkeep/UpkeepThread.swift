// Works on sealed segments aside from the loop and the commit thread.

import Glibc
import ScrollModel

/// Runs ``Upkeep`` on a thread of its own, so that neither the loop nor the commits wait for it.
///
/// Jobs are done in order, and their results come in the same order, as those of ``CommitThread`` do.
///
/// Unchecked: what is shared is touched within the monitor only.
public final class UpkeepThread: @unchecked Sendable {
  private let upkeep: Upkeep
  private let isNice: Bool
  private let wake: @Sendable () -> Void
  private let monitor = Monitor()
  private var jobs: [UpkeepJob] = []
  private var results: [UpkeepResult] = []
  private var isPackingCancelled = false
  private var isStopping = false
  private var thread: WorkerThread?

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - isNice: whether everybody else comes first where there is too little of the processor: right for jobs that nobody
  ///     waits for. On a busy machine they take a hundred times as long.
  ///   - wake: called on the thread when there are results and there were none before.
  /// - Throws: the C library's error when there can be no further thread.
  public init(_ upkeep: Upkeep, isNice: Bool, wake: @escaping @Sendable () -> Void) throws(ErrorCode) {
    self.upkeep = upkeep
    self.isNice = isNice
    self.wake = wake
    thread = try WorkerThread { [self] in run() }
  }

  /// Gives the thread a job.
  public func submit(_ job: UpkeepJob) {
    monitor.locked {
      jobs.append(job)
      monitor.signal()
    }
  }

  /// Takes the results that came since the last call, in the order of their jobs.
  public func takeResults() -> [UpkeepResult] {
    monitor.locked {
      let taken = results
      results = []
      return taken
    }
  }

  /// Lets a packing that is under way, and any later one, come to nothing, until ``allowPacking()``.
  public func cancelPacking() { monitor.locked { isPackingCancelled = true } }

  /// Takes ``cancelPacking()`` back.
  public func allowPacking() { monitor.locked { isPackingCancelled = false } }

  /// Ends the thread after the job that is under way.
  public func stop() {
    monitor.locked {
      isStopping = true
      isPackingCancelled = true
      monitor.signal()
    }
  }

  /// Waits for the thread's end after ``stop()``; to be called once.
  public func join() { thread?.join() }

  private func run() {
    // In Linux this is the thread's own niceness, whatever POSIX says of processes; where it can't be had, the work is done all
    // the same. It can't be taken back without a privilege, so a thread is nice or isn't.
    if isNice { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) }
    while let job = next() {
      post(upkeep.perform(job) { monitor.locked { isPackingCancelled } })
    }
  }

  private func next() -> UpkeepJob? {
    monitor.locked {
      while true {
        if isStopping { return nil }
        if !jobs.isEmpty { return jobs.removeFirst() }
        monitor.wait()
      }
    }
  }

  private func post(_ result: UpkeepResult) {
    let isFirst = monitor.locked {
      results.append(result)
      return results.count == 1
    }
    if isFirst { wake() }
  }
}
