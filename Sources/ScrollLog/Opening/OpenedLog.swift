import ScrollModel

/// A log that is ready to be read and written.
public struct OpenedLog {
  /// What appends to it.
  public let writer: SegmentWriter
  /// What works on segments that are no longer written to.
  public let upkeep: Upkeep
  /// Its segments, for readers.
  public let segments: SegmentList
  /// The present: all of the log folded.
  public let projection: Projection
  /// Every session that was ever closed, as far as the log still tells; their ids are never used again.
  public let closedSessions: Set<SessionID>
  /// The generations that the log went through.
  public let generations: GenerationHistory
  /// What was found and done, in order.
  public let notes: [RecoveryNote]
  /// What it took to open it.
  public let report: StartReport
  /// Holds the lock on the state directory as long as it lives.
  public let lock: LogLock

  /// The position that the next record gets.
  public var nextPosition: Position { projection.position + 1 }
}
