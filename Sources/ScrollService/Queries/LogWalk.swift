import ScrollLog
import ScrollModel
import Varlink

/// A replay of a part of the log: folds its records again in bounded steps, from the checkpoint before them.
final class LogWalk {
  /// The outcome of a step.
  enum Step {
    /// More records follow.
    case more
    /// Everything up to the horizon is folded.
    case atHorizon
  }

  /// How many records a step folds at most, if they are not sent.
  static let recordsPerStep: Int64 = 1024
  /// How many sessions of its beginning a step examines, if that takes little for each.
  static let sessionsPerStep = 256

  /// The position of the checkpoint or the fold that the walk began with.
  let start: Position
  /// The fold of the records so far.
  private(set) var projection: Projection
  /// The version of the fold that first folded these records; `nil` if it is the current one.
  private(set) var refoldedVersion: UInt32?
  private let log: LogView
  private let isWanted: Projection.Condition
  private let computesStates: Bool
  private var reader: LogReader
  private var block: BlockView?
  /// The sessions of the fold with which the walk began that are still to be copied.
  private var uncopied: Projection.Copying?
  private let sessionsPerStep: Int
  /// How many records a step folds at most.
  var recordsPerStep = LogWalk.recordsPerStep
  /// A search for the sessions that matter. Where indexes show that a stretch has no record of them, the walk skips to
  /// the checkpoint after it, which has the states of all sessions as if they had been folded.
  var search: SessionSearch?

  /// Begins a walk at a copy of a fold.
  ///
  /// - Parameters:
  ///   - refoldedVersion: The version of the fold that first folded the records after it; `nil` if it is the current one.
  ///   - computesStates: Whether the observer needs states, and not the records alone.
  ///   - sessionsPerStep: How many sessions may be examined at once.
  ///   - isWanted: The sessions that the walk folds.
  init(
    _ log: LogView, from start: Projection, refoldedVersion: UInt32? = nil, computesStates: Bool = true,
    sessionsPerStep: Int, where isWanted: @escaping Projection.Condition
  ) {
    self.start = start.position
    self.log = log
    self.isWanted = isWanted
    self.refoldedVersion = refoldedVersion
    self.sessionsPerStep = sessionsPerStep
    self.computesStates = computesStates
    projection = start.emptyCopyForQuery(computesStates: computesStates, where: isWanted)
    uncopied = Projection.Copying(of: start)
    reader = LogReader(log, after: start.position)
  }

  /// How much memory the walk holds, in bytes.
  var heldBytes: Int {
    projection.queriedSize + reader.heldBytes + (block?.heldBytes ?? 0) + (uncopied?.heldBytes ?? 0)
      + (search?.heldBytes ?? 0)
  }

  /// Continues from a segment's own checkpoint. It has the states that another version of the fold computed, or those of
  /// sessions whose events were taken out of the segments before.
  private func adoptCheckpoint(of first: BlockView) throws(ReadError) {
    let checkpoint: Checkpoint
    do throws(ReadError) {
      checkpoint = try log.checkpoint(before: first.firstPosition)
    } catch {
      // The fold has the same states, unless there was a reason to leave it.
      if refoldedVersion == nil, case .logDamaged = error { return }
      throw error
    }
    guard checkpoint.position == projection.position else { return }
    refoldedVersion = checkpoint.foldVersion == log.foldVersion ? nil : checkpoint.foldVersion
    projection = fold(from: checkpoint)
  }

  private func fold(from checkpoint: Checkpoint) -> Projection {
    Projection(checkpoint, foldVersion: log.foldVersion, computesStates: computesStates, where: isWanted)
  }

  /// Continues from the checkpoint before the next record of the sessions that matter.
  ///
  /// - Returns: Whether such a checkpoint is known.
  private func skip(through horizon: Position) throws(ReadError) -> Bool {
    // Checkpoints of another version of the fold are left to `adoptCheckpoint`.
    guard refoldedVersion == nil,
      let checkpoint = try search?.checkpoint(after: projection.position, through: horizon)
    else { return false }
    projection = fold(from: checkpoint)
    reader = LogReader(log, after: checkpoint.position)
    return true
  }

  /// Whether it still copies the sessions with which it begins.
  var isCopying: Bool { uncopied != nil }

  /// Copies a bounded number of the sessions with which it begins.
  func copySome() {
    if uncopied?.copy(sessionsPerStep, to: projection) == true { uncopied = nil }
  }

  /// Folds a bounded number of records.
  ///
  /// - Parameters:
  ///   - horizon: The last position to fold.
  ///   - time: The last `received` to fold, microseconds since the Unix epoch.
  /// - Throws: `ReadError` when the log is damaged there.
  func advance(
    through horizon: Position, until time: Int64 = .max, _ observer: inout some ProjectionObserver
  ) throws(ReadError) -> Step {
    if isCopying {
      copySome()
      return .more
    }
    if projection.position >= horizon { return .atHorizon }
    let current: BlockView
    if let block, block.lastPosition > projection.position {
      current = block
    } else {
      if try skip(through: horizon) { return .more }
      switch try reader.next(through: horizon) {
      case .block(let next): current = next
      case .skipped: return .more
      case .atHorizon: return .atHorizon
      }
      block = current
      if log.beginsSegment(at: current.firstPosition), projection.position != start {
        try adoptCheckpoint(of: current)
      }
    }
    if current.received > time { return .atHorizon }
    do throws(ContentError) {
      let limit = min(horizon, projection.position + recordsPerStep)
      try projection.apply(current, through: limit, observer: &observer)
    } catch {
      throw .logDamaged(log.damage(at: current.firstPosition, "\(error)"))
    }
    return .more
  }
}
