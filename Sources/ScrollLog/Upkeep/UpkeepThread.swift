import Platform
import ScrollModel

/// A thread that runs ``Upkeep``, so that neither the loop nor the commits wait for it.
///
/// Like ``CommitThread``, it runs jobs in order, and posts their results in the same order.
public final class UpkeepThread: Sendable {
  private let mailbox: Mailbox<UpkeepJob, UpkeepResult>
  private let isPackingCancelled: Flag
  private let thread: WorkerThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - isNice: whether the thread yields the processor to everything else: right for jobs that nobody waits for, which
  ///     take a hundred times as long on a busy machine.
  ///   - wake: called on the thread with each result that finds no other waiting.
  /// - Throws: the C library's error when no further thread can be started.
  public init(_ upkeep: Upkeep, isNice: Bool, wake: @escaping @Sendable () -> Void) throws(Errno) {
    let mailbox = Mailbox<UpkeepJob, UpkeepResult>(wake: wake)
    let isPackingCancelled = Flag()
    self.mailbox = mailbox
    self.isPackingCancelled = isPackingCancelled
    thread = try WorkerThread {
      // A thread can't take this back, so it is nice for good or not at all.
      if isNice { CurrentProcess.lowerThreadPriority() }
      while case .job(let job) = mailbox.receive() {
        mailbox.post(upkeep.perform(job) { isPackingCancelled.isSet })
      }
    }
  }

  /// Gives the thread a job.
  public func submit(_ job: UpkeepJob) { mailbox.submit(job) }

  /// Returns the results posted since the last call, in the order of their jobs.
  public func takeResults() -> [UpkeepResult] { mailbox.takeResults() }

  /// Cancels a packing that is under way, and any later one, until ``allowPacking()``.
  public func cancelPacking() { isPackingCancelled.set(true) }

  /// Takes ``cancelPacking()`` back.
  public func allowPacking() { isPackingCancelled.set(false) }

  /// Ends the thread after the job that is under way.
  public func stop() {
    isPackingCancelled.set(true)
    mailbox.close()
  }

  /// Waits for the thread's end after ``stop()``; to be called once.
  public func join() { thread.join() }
}

/// A Boolean that two threads share.
///
/// Unchecked: the value is touched within the monitor only.
private final class Flag: @unchecked Sendable {
  private let monitor = Monitor()
  private var value = false

  var isSet: Bool { monitor.locked { value } }

  func set(_ value: Bool) { monitor.locked { self.value = value } }
}
