import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The log as queries see it: read-only, up to the horizon.
final class History {
  private let log: FoldedLog
  private let view: LogView
  private let journal: LimitedJournal
  /// The streams that read the log.
  let readings: LogReadings
  private let checkpoints: WalkCheckpoints

  init(_ log: FoldedLog, readings: LogReadings, clock: ServiceClock, journal: Journal) {
    self.readings = readings
    self.log = log
    view = log.segments.view
    self.journal = LimitedJournal(journal, clock)
    checkpoints = WalkCheckpoints(view, self.journal)
  }

  /// Logs how many messages about the log were suppressed, and releases what is kept for a while.
  func tick(_ now: Int64) {
    journal.tick(now)
    dropRecentCheckpoint()
  }

  var horizon: Horizon { log.horizon }
  /// The sessions that were closed last.
  var closedSessions: ClosedSessionIndex { log.closedSessions }
  /// The generations of the log.
  var generations: GenerationHistory { log.generations }
  /// The generation that positions belong to.
  var generation: Int64 { log.generations.current }
  /// The first position that the log still has.
  var firstPosition: Position { view.firstPosition }

  // MARK: Reading

  /// Begins a walk at or shortly before a position.
  ///
  /// - Parameters:
  ///   - computesStates: Whether states are needed, and not the records alone.
  ///   - sessionsPerStep: How many sessions may be examined at once.
  ///   - isWanted: The sessions that the walk folds.
  func walk(
    from position: Position, computesStates: Bool = true, sessionsPerStep: Int = LogWalk.sessionsPerStep,
    where isWanted: @escaping Projection.Condition
  ) -> LogWalk {
    // A copy of the fold from an earlier segment is further away than the checkpoint of the position's segment, and the
    // records in between may be damaged or removed.
    let first = view.segment(of: position + 1) ?? firstPosition
    if let recent = log.recent.latest(through: position), recent.position >= first - 1 {
      return LogWalk(
        view, checkpoints, from: recent, computesStates: computesStates, sessionsPerStep: sessionsPerStep,
        where: isWanted)
    }
    return walk(
      fromCheckpointBefore: position, computesStates: computesStates, sessionsPerStep: sessionsPerStep, where: isWanted)
  }

  /// Begins a walk at the last checkpoint at or before a position.
  func walk(
    fromCheckpointBefore position: Position, computesStates: Bool = true,
    sessionsPerStep: Int = LogWalk.sessionsPerStep, where isWanted: @escaping Projection.Condition
  ) -> LogWalk {
    LogWalk(
      view, checkpoints, fromCheckpointBefore: position + 1, computesStates: computesStates,
      sessionsPerStep: sessionsPerStep, where: isWanted)
  }

  /// Forgets the checkpoint that was read last, since the log may have been rewritten.
  func dropRecentCheckpoint() { checkpoints.dropRecent() }

  /// Returns a reader of the blocks after a position.
  func reader(after position: Position) -> LogReader { LogReader(view, after: position) }

  /// Returns a search for the sessions that satisfy a condition, which uses the segments' indexes.
  ///
  /// - Parameter sessionsPerStep: How many sessions may be examined at once.
  func search(
    sessionsPerStep: Int = SessionSearch.standardSessionsPerStep, where matches: @escaping (SessionID, ClientID) -> Bool
  ) -> SessionSearch {
    SessionSearch(view, sessionsPerStep: sessionsPerStep, where: matches)
  }

  /// Returns the last position at or before another that was received by a time, as far as snapshots show.
  func position(before position: Position, receivedBy time: Int64) -> Position {
    view.position(before: position, receivedBy: time)
  }

  /// Returns the gap that a repair has left at a position; `nil` if there is none.
  func repairedGap(at position: Position) -> ClosedRange<Position>? { view.repairedGap(at: position) }

  /// Whether the log may lack records from one position to another.
  func mayLackRecords(in positions: ClosedRange<Position>) -> Bool { view.mayLackRecords(in: positions) }

  /// Returns the error for a damaged block that begins at a position.
  func damage(at position: Position, _ error: ContentError) -> ReadError {
    .logDamaged(view.damage(at: position, "\(error)"))
  }

  // MARK: Errors

  /// Returns the reply to a call that needs unreadable records, and logs the reason unless retention removed them.
  func report(_ error: ReadError) -> VarlinkError {
    switch error {
    case .positionTrimmed(let first):
      return ServiceError.positionTrimmed(first: first)
    case .logDamaged(let damage):
      // What a repair has given up is not news.
      if damage.lostInRepair == nil { journal.log(.readFailed(error)) }
      return ServiceError.logDamaged(damage, next: view.firstPosition(afterSegmentIn: damage.file))
    case .file(let file):
      journal.log(.readFailed(error))
      let damage = LogDamage(file: file.path, offset: 0, reason: "\(file)")
      return ServiceError.logDamaged(damage, next: view.firstPosition(afterSegmentIn: file.path))
    }
  }

  /// Checks a position after which a caller wants to read.
  ///
  /// - Parameter generation: The generation that the caller got the position in.
  /// - Throws: `InvalidParameter`, `PositionTakenBack`, `PositionTrimmed` or `NoSuchPosition`.
  func check(after position: Position, generation: Int64?) throws(VarlinkError) {
    if position < 0 { throw .invalidParameter("after") }
    if let generation {
      // The log shares nothing with a generation that it never had.
      let shared = log.generations.lastPosition(sharedWith: generation) ?? 0
      if position > shared { throw ServiceError.positionTakenBack(last: shared) }
    }
    if position < firstPosition - 1 { throw ServiceError.positionTrimmed(first: firstPosition) }
    // No client has been sent a position that is not committed.
    if position > horizon.position { throw ServiceError.noSuchPosition(last: horizon.position) }
  }
}

/// The state of a session at some position.
struct FoundState {
  private let state: FoldState
  private let identity: StateIdentity

  init(_ session: Session) {
    state = session.state
    identity = session.identity(at: session.lastPosition)
  }

  func write(to writer: inout JSONWriter) { state.write(to: &writer, as: identity) }
}

extension Session {
  /// Returns the identity of the session's state at a position.
  func identity(at position: Position) -> StateIdentity {
    StateIdentity(
      client: client.name.text, user: client.user, session: shownID, position: position, policy: opening.policy.name)
  }
}
