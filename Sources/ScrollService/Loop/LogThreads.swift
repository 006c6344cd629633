import Platform
import ScrollLog

/// The threads that write the log, and the counter that wakes the loop when they have results.
final class LogThreads {
  /// Readable while there are results.
  var wakeDescriptor: Int32 { counter.borrowed.rawValue }

  private let commit: CommitThread
  /// Runs the jobs that callers may wait for: removing and forgetting.
  private let upkeep: UpkeepThread
  private let packing: UpkeepThread
  private let counter: EventCounter

  /// - Throws: ``SystemError`` or ``Errno`` when the counter or a thread can't be made.
  init(_ log: OpenedLog) throws {
    let counter = try SystemError.wrapping("make an event counter") { () throws(Errno) in try EventCounter() }
    self.counter = counter
    commit = try CommitThread(log.writer) { counter.increment() }
    upkeep = try UpkeepThread(log.upkeep, isNice: false) { counter.increment() }
    packing = try UpkeepThread(log.upkeep, isNice: true) { counter.increment() }
  }

  func submit(_ job: CommitJob) { commit.submit(job) }

  /// Submits a job to its thread. The service has one upkeep job at a time, so the two threads never work at once.
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
