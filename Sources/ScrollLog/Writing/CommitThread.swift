import Platform
import ScrollModel

/// A thread that runs a ``SegmentWriter``, so that the loop need not wait for the disk.
///
/// It runs jobs in order, and posts their results in the same order:
///
///     let thread = try CommitThread(opened.writer) { eventfd_write(descriptor, 1) }
///     thread.submit(.write(block))
///     // later, when the descriptor is readable:
///     for result in thread.takeResults() { … }
///
/// A job that found no space, or that does not begin where the log ends, changes nothing. So a block submitted after one
/// that found no space fails with ``WriteError/outOfOrder(expected:)``: the loop refuses the appends of both and continues
/// at the expected position.
public final class CommitThread: Sendable {
  private let mailbox: Mailbox<CommitJob, CommitResult>
  private let thread: WorkerThread

  /// Starts the thread, which uses the writer while it has a job whose result was not taken.
  ///
  /// - Parameter wake: called on the thread with each result that finds no other waiting.
  /// - Throws: the C library's error when no further thread can be started.
  public init(
    _ writer: SegmentWriter, wake: @escaping @Sendable () -> Void
  ) throws(Errno) {
    let mailbox = Mailbox<CommitJob, CommitResult>(wake: wake)
    self.mailbox = mailbox
    thread = try WorkerThread { Self.run(writer, mailbox) }
  }

  /// Gives the thread a job. Nothing must follow ``CommitJob/stop``.
  public func submit(_ job: CommitJob) { mailbox.submit(job) }

  /// Whether any results were posted since they were last taken.
  public var hasResults: Bool { mailbox.hasResults }

  /// Returns the results posted since the last call, in the order of their jobs.
  public func takeResults() -> [CommitResult] { mailbox.takeResults() }

  /// Waits for the thread's end after ``CommitJob/stop``; to be called once.
  public func join() { thread.join() }

  private static func run(_ writer: SegmentWriter, _ mailbox: Mailbox<CommitJob, CommitResult>) {
    while case .job(let job) = mailbox.receive() {
      mailbox.post(writer.perform(job))
      if case .stop = job { return }
    }
  }
}
