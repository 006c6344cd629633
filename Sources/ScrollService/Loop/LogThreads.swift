import Platform
import ScrollLog

/// The threads that write the log, and the counter that wakes the loop when they have results.
final class LogThreads {
  /// Readable while there are results.
  var wakeDescriptor: BorrowedDescriptor { counter.borrowed }

  /// Whether the commit thread has results.
  var hasResults: Bool { commit.hasResults }

  private let commit: CommitRunner
  /// Runs the jobs that callers and the log's limits wait for: removing, measuring and forgetting.
  private let upkeep: UpkeepThread
  private let packing: UpkeepThread
  private let counter: EventCounter

  /// - Throws: ``SystemError`` or ``Errno`` when the counter or a thread can't be made.
  init(_ log: OpenedLog) throws {
    let counter = try SystemError.wrapping("make an event counter") { () throws(Errno) in try EventCounter() }
    self.counter = counter
    commit = try CommitRunner(log.writer) { counter.increment() }
    upkeep = try UpkeepThread(log.upkeep, isNice: false) { counter.increment() }
    packing = try UpkeepThread(log.upkeep, isNice: true) { counter.increment() }
  }

  /// Submits a job to the commit thread.
  func submit(_ job: CommitJob) { commit.submit(job) }

  /// Runs a job at once if that is expected to be fast, or submits it to the commit thread.
  ///
  /// - Parameter mayWait: Whether nobody but the job's only caller has to wait if it is synced at once.
  /// - Returns: The result of a job that was done at once.
  func run(_ job: CommitJob, mayWait: Bool) -> CommitResult? { commit.run(job, mayWait: mayWait) }

  /// When ``syncIfDue()`` has something to do, by the monotonic clock in microseconds.
  var syncDue: Int64? { commit.syncDue }

  /// Lets the commit thread sync what was written, if that is due.
  func syncIfDue() { commit.syncIfDue() }

  /// Submits a job to its thread.
  func submit(_ job: UpkeepJob) {
    guard case .pack = job else { return upkeep.submit(job) }
    packing.allowPacking()
    packing.submit(job)
  }

  func cancelPacking() { packing.cancelPacking() }

  func takeResults() -> (commits: [CommitResult], upkeeps: [UpkeepResult]) {
    counter.reset()
    return (commit.takeResults(), upkeep.takeResults() + packing.takeResults())
  }

  /// Ends the threads, after the last job of the commit thread.
  func join() {
    commit.join()
    for thread in [upkeep, packing] {
      thread.stop()
      thread.join()
    }
  }
}
