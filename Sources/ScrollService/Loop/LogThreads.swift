import CSystemd
import Glibc
import ScrollLog

/// The threads that write the log, and the descriptor that wakes the loop when they have results.
final class LogThreads {
  /// Readable while there are results.
  var wakeDescriptor: Int32 { descriptor.rawValue }

  private let commit: CommitThread
  /// Removes and forgets, which callers may wait for.
  private let upkeep: UpkeepThread
  private let packing: UpkeepThread
  private let descriptor: FileDescriptor

  /// - Throws: ``SystemError`` when a thread or the descriptor can't be made.
  init(_ log: OpenedLog) throws {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last("make an event descriptor") }
    self.descriptor = FileDescriptor(descriptor)
    commit = try CommitThread(log.writer) { eventfd_write(descriptor, 1) }
    upkeep = try UpkeepThread(log.upkeep, isNice: false) { eventfd_write(descriptor, 1) }
    packing = try UpkeepThread(log.upkeep, isNice: true) { eventfd_write(descriptor, 1) }
  }

  func submit(_ job: CommitJob) { commit.submit(job) }

  /// Hands a job to the thread for it. The service has one under way at a time, so the two never work at once.
  func submit(_ job: UpkeepJob) {
    guard case .pack = job else { return upkeep.submit(job) }
    packing.allowPacking()
    packing.submit(job)
  }

  func cancelPacking() { packing.cancelPacking() }

  func takeResults() -> (commits: [CommitResult], upkeeps: [UpkeepResult]) {
    var count: eventfd_t = 0
    // Nothing to read means that an earlier turn has taken the results.
    _ = eventfd_read(descriptor.rawValue, &count)
    return (commit.takeResults(), upkeep.takeResults() + packing.takeResults())
  }

  /// Ends the threads after the last job of the commit thread.
  func join() {
    commit.join()
    for thread in [upkeep, packing] {
      thread.stop()
      thread.join()
    }
  }
}
