import ScrollModel

/// What the loop asks of the commit thread.
public enum CommitJob: Sendable {
  /// Append a block and sync it as the sync mode says.
  case write(Block)
  /// Seal the segment and begin the next one with a checkpoint of all that was written.
  case roll(Checkpoint)
  /// Append a snapshot of all that was written beside the segment.
  case snapshot(Snapshot)
  /// Check the next piece of what the start did not read of the segment.
  case check
  /// Sync what was written.
  case sync
  /// Do nothing; its result comes after those of all jobs before.
  case noop
  /// Mark the log as stopped in order, and end the thread.
  case stop
}

/// What a job came to.
public struct CommitResult: Sendable {
  /// The job. A sync that was due by ``SyncMode/interval(microseconds:)`` has a result like one that was asked for.
  public let job: CommitJob
  /// How far the writer has come, or why the job was not done.
  public let outcome: Result<WriterStatus, WriteError>
  /// Where ``CommitJob/snapshot(_:)`` wrote.
  public let snapshot: SnapshotPlace?

  /// A result of its parts.
  public init(job: CommitJob, outcome: Result<WriterStatus, WriteError>, snapshot: SnapshotPlace? = nil) {
    self.job = job
    self.outcome = outcome
    self.snapshot = snapshot
  }
}
