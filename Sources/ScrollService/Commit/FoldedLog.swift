import ScrollLog
import ScrollModel

/// The log with the fold of all its committed records.
///
/// The *horizon* is the last position that the fold has reached: what is on disk with `Sync=commit`, else what is written.
/// Every reader sees the log up to the horizon and nothing beyond.
final class FoldedLog {
  let segments: SegmentList
  let generations: GenerationHistory
  /// What it took to open the log.
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

  /// Folds a block that was written, and reports each record to an observer.
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
  /// When the daemon got the record at ``position``, microseconds since the Unix epoch.
  var received: Int64 { projection.received }
  /// The open sessions.
  var sessions: some Collection<Session> { projection.sessions.values }

  subscript(id: SessionID) -> Session? { projection.sessions[id] }

  /// The fold as a checkpoint or a snapshot holds it.
  func checkpoint() -> Checkpoint { projection.checkpoint() }
}
