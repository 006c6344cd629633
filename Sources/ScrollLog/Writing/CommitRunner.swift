import Platform
import ScrollModel

/// Runs the jobs of a ``SegmentWriter`` for the loop: at once, where that costs less than to wake another thread and is expected
/// to be fast, and otherwise on a ``CommitThread``.
///
///     let runner = try CommitRunner(opened.writer) { eventfd_write(descriptor, 1) }
///     if let result = runner.run(.write(block), mayWait: false) { … }   // done at once
///     // later, when the descriptor is readable, or a sync is due:
///     for result in runner.takeResults() { … }
///     runner.syncIfDue()
///
/// A block that is not synced goes to the page cache, which takes less than waking a thread. Only large blocks, blocks for which
/// the file has no space reserved, and those that follow a slow write leave the loop. A block that is synced leaves the loop
/// unless its caller may wait and the last syncs were fast (``DiskPace``).
public final class CommitRunner {
  /// The largest block that is written at once, in bytes. Writing more takes as long as waking a thread.
  private static let largestBlock = 32 << 10

  private let writer: SegmentWriter
  private let thread: CommitThread
  private let syncs: Bool
  private var pace: DiskPace
  /// How many jobs the thread has whose results were not taken. While it has any, the writer is the thread's.
  private var outstanding = 0

  /// Starts the thread, which shares the writer with this object from now on.
  ///
  /// - Parameter wake: called on the thread with each result that finds no other waiting.
  /// - Throws: the C library's error when no further thread can be started.
  public init(_ writer: SegmentWriter, wake: @escaping @Sendable () -> Void) throws(Errno) {
    self.writer = writer
    syncs = writer.syncsEachBlock
    pace = DiskPace(isTrusted: !syncs)
    thread = try CommitThread(writer, wake: wake)
  }

  /// Runs a job, or submits it to the thread. Nothing must follow ``CommitJob/stop``.
  ///
  /// - Parameter mayWait: Whether nobody but the job's only caller has to wait if it is synced at once.
  /// - Returns: The result of a job that was done at once.
  public func run(_ job: CommitJob, mayWait: Bool) -> CommitResult? {
    guard isDoneAtOnce(job, mayWait: mayWait) else {
      submit(job)
      return nil
    }
    let result = writer.perform(job)
    pace.add(result.duration)
    return result
  }

  /// Submits a job to the thread, whatever it is.
  public func submit(_ job: CommitJob) {
    outstanding += 1
    thread.submit(job)
  }

  /// Whether ``takeResults()`` has something to return.
  public var hasResults: Bool { outstanding > 0 && thread.hasResults }

  /// Returns the results of the thread that were posted since the last call, in the order of their jobs.
  public func takeResults() -> [CommitResult] {
    let results = thread.takeResults()
    outstanding -= results.count
    for result in results {
      if case .write = result.job { pace.add(result.duration) }
    }
    return results
  }

  /// When ``syncIfDue()`` has something to do, by the monotonic clock in microseconds; `nil` when nothing is due, or when the
  /// thread's next result will tell.
  public var syncDue: Int64? { outstanding == 0 ? writer.syncDue : nil }

  /// Lets the thread sync what was written without a sync, if that is due.
  public func syncIfDue() {
    if let syncDue, syncDue <= writer.monotonicNow { submit(.sync) }
  }

  /// Waits for the thread's end after ``CommitJob/stop``; to be called once.
  public func join() { thread.join() }

  private func isDoneAtOnce(_ job: CommitJob, mayWait: Bool) -> Bool {
    guard outstanding == 0, pace.isFast, mayWait || !syncs, case .write(let block) = job else { return false }
    return block.byteCount <= Self.largestBlock && writer.hasSpaceReserved(for: block)
  }
}
