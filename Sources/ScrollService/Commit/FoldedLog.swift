import ScrollLog
import ScrollModel

/// The log with the fold of all its committed records.
///
/// The *horizon* is the last position that the fold has reached: with `Sync=commit` the last one on disk, otherwise the
/// last one written. Readers see the log up to the horizon and nothing beyond.
final class FoldedLog {
  let segments: SegmentList
  let generations: GenerationHistory
  /// When and how the log was opened.
  let start: DaemonStart
  /// Copies of the fold at recent positions.
  var recent = RecentProjections()
  /// The sessions that were closed last.
  let closedSessions: ClosedSessionIndex
  private let projection: Projection
  private var order: SessionOrder

  /// - Parameter time: The current time.
  init(_ log: OpenedLog, at time: Int64) {
    segments = log.segments
    generations = log.generations
    start = DaemonStart(time: time, report: log.report)
    projection = log.projection
    closedSessions = ClosedSessionIndex(after: log.projection.position)
    order = SessionOrder(log.projection.sessions.values)
  }

  var horizon: Horizon { Horizon(projection, order) }

  /// Folds a block that was written, and calls an observer for each record.
  ///
  /// - Throws: ``ContentError`` when the block doesn't follow the horizon.
  func fold(_ block: Block, _ observer: inout some ProjectionObserver) throws(ContentError) {
    var ordering = OrderingObserver(observer)
    defer {
      observer = ordering.base
      for session in ordering.opened { order.add(session) }
      for report in ordering.reports { closedSessions.add(report) }
      for session in ordering.closed {
        order.didClose(session, isClientOpen: projection.session(of: session.client) != nil) {
          projection.session(of: $0)
        }
      }
    }
    try projection.apply(block.view, observer: &ordering)
  }

  /// Records where a folded block is in the log.
  ///
  /// - Parameter closed: The sessions that it closes.
  func didFold(_ block: Block, _ status: WriterStatus, closed: [ClosedSession]) {
    segments.addBlock(block, status, closed: closed)
    recent.add(block.byteCount, projection)
  }
}

/// The fold at the horizon, read-only.
struct Horizon {
  private let projection: Projection
  private let order: SessionOrder

  init(_ projection: Projection, _ order: SessionOrder) {
    self.projection = projection
    self.order = order
  }

  /// The last position that is folded.
  var position: Position { projection.position }
  /// When the daemon received the record at ``position``, microseconds since the Unix epoch.
  var received: Int64 { projection.received }
  /// The open sessions.
  var sessions: some Collection<Session> { projection.sessions.values }

  subscript(id: SessionID) -> Session? { projection.sessions[id] }

  /// Returns the open session of a client.
  func session(of client: ClientID) -> Session? { projection.session(of: client) }

  /// Returns the open sessions of all clients with a name.
  func sessions(named name: ClientName) -> [Session] {
    order.users(named: name).compactMap { projection.session(of: ClientID(user: $0, name: name)) }
  }

  /// Returns the first open session that was opened after a position.
  ///
  /// - Parameter user: The user whose session it has to be; `nil` for anyone's.
  func session(openedAfter position: Position, of user: UInt32?) -> Session? {
    order.next(after: position, of: user) { projection.session(of: $0) }
  }

  /// Returns the fold in the form that checkpoints and snapshots store.
  func checkpoint() -> Checkpoint { projection.checkpoint() }
}

extension Projection {
  /// Returns the session that an opening began, if it is open.
  fileprivate func session(of entry: SessionOrder.Entry) -> Session? {
    guard let session = sessions[entry.id], session.openedPosition == entry.openedPosition else { return nil }
    return session
  }
}

/// When the daemon started, and how it opened the log.
struct DaemonStart {
  /// In microseconds since the Unix epoch, by the clock that dates records.
  var time: Int64
  var report: StartReport
}
