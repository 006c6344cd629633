import ScrollLog
import ScrollModel

/// The log with the fold of all its committed records.
///
/// The *horizon* is the last position that the fold has reached: with `Sync=commit` the last one on disk, otherwise the
/// last one written. Readers see the log up to the horizon and nothing beyond.
final class FoldedLog {
  let segments: SegmentList
  let generations: GenerationHistory
  /// How the log was opened.
  let startReport: StartReport
  /// Copies of the fold at recent positions.
  var recent = RecentProjections()
  private let projection: Projection

  init(_ log: OpenedLog) {
    segments = log.segments
    generations = log.generations
    startReport = log.report
    projection = log.projection
  }

  var horizon: Horizon { Horizon(projection) }

  /// Folds a block that was written, and calls an observer for each record.
  ///
  /// - Throws: ``ContentError`` when the block doesn't follow the horizon.
  func fold(_ block: Block, _ observer: inout some ProjectionObserver) throws(ContentError) {
    try projection.apply(block.view, observer: &observer)
  }

  /// Records where a folded block is in the log.
  ///
  /// - Parameter closed: The sessions that it closes.
  func didFold(_ block: Block, _ status: WriterStatus, closed: [SessionID]) {
    segments.addBlock(block, status, closed: closed)
    recent.add(block.byteCount, projection)
  }
}

/// The fold at the horizon, read-only.
struct Horizon {
  private let projection: Projection

  init(_ projection: Projection) { self.projection = projection }

  /// The last position that is folded.
  var position: Position { projection.position }
  /// When the daemon received the record at ``position``, microseconds since the Unix epoch.
  var received: Int64 { projection.received }
  /// The open sessions.
  var sessions: some Collection<Session> { projection.sessions.values }

  subscript(id: SessionID) -> Session? { projection.sessions[id] }

  /// Returns the fold in the form that checkpoints and snapshots store.
  func checkpoint() -> Checkpoint { projection.checkpoint() }
}
