import ScrollModel

/// A log that is ready to be read and written.
public struct OpenedLog {
  /// The writer of its last segment.
  public let writer: SegmentWriter
  /// The upkeep of its sealed segments.
  public let upkeep: Upkeep
  /// Its segments.
  public let segments: SegmentList
  /// The current states: the fold over the whole log.
  public let projection: Projection
  /// All closed sessions that the log still knows. Their IDs are never used again.
  public let closedSessions: [SessionID: SessionOwner]
  /// The generations of the log.
  public let generations: GenerationHistory
  /// What the opening found and did, in order.
  public let notes: [RecoveryNote]
  /// How much work the opening was.
  public let report: StartReport
  /// The lock on the state directory.
  public let lock: LogLock

  /// The files that keep what was forgotten.
  public var forgotten: ForgottenFiles { ForgottenFiles(upkeep.directory) }
  /// The file that keeps the runs in which relays followed the log.
  public var runs: RunFile { RunFile(upkeep.directory) }

  /// The position of the next record.
  public var nextPosition: Position { projection.position + 1 }
}
