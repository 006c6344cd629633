import ScrollModel

/// A job for the commit thread.
public enum CommitJob: Sendable {
  /// Append a block, and sync it according to the sync mode.
  case write(Block)
  /// Seal the segment and begin the next one with a checkpoint of everything written so far.
  case roll(Checkpoint)
  /// Append a snapshot of everything written so far.
  case snapshot(Snapshot)
  /// Check the next part of the segment that the start did not read.
  case check
  /// Sync what was written.
  case sync
  /// Do nothing. The result comes after those of all previous jobs.
  case noop
  /// Mark a clean shutdown in the log, and end the thread.
  case stop
}

/// The result of a job.
public struct CommitResult: Sendable {
  /// The job. A sync that ``SyncMode/interval(microseconds:)`` caused has a result as well.
  public let job: CommitJob
  /// How long it took, in microseconds.
  public let duration: Int64
  /// The writer's status after the job, or why the job was not done.
  public let outcome: Result<WriterStatus, WriteError>
  /// The snapshot that ``CommitJob/snapshot(_:)`` wrote.
  public let snapshot: SnapshotPlace?

  /// Creates a result.
  public init(
    job: CommitJob, outcome: Result<WriterStatus, WriteError>, snapshot: SnapshotPlace? = nil, duration: Int64 = 0
  ) {
    self.job = job
    self.duration = duration
    self.outcome = outcome
    self.snapshot = snapshot
  }
}
