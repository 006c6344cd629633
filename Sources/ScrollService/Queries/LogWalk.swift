import ScrollLog
import ScrollModel
import Varlink

/// A replay of a part of the log: folds its records again in bounded steps, from the checkpoint before them.
///
/// The checkpoint is read in steps as well, and so is every other one with which the walk continues.
final class LogWalk {
  /// The outcome of a step.
  enum Step {
    /// More records follow.
    case more
    /// Everything up to the horizon is folded.
    case atHorizon
  }

  /// What a step does.
  private enum Phase {
    /// It looks for the last checkpoint before a position.
    case beginning(before: Position)
    /// It reads a checkpoint.
    case reading(CheckpointReading, Purpose)
    /// It copies the sessions of the fold with which the walk begins or continues.
    case copying(Projection.Copying)
    /// It folds records.
    case folding

    /// How much memory the reading or the copying holds, in bytes.
    var heldBytes: Int {
      switch self {
      case .reading(let reading, _): reading.heldBytes
      case .copying(let copying): copying.heldBytes
      case .beginning, .folding: 0
      }
    }
  }

  /// Why a checkpoint is read.
  private enum Purpose {
    /// The walk begins with it.
    case start
    /// It is that of a segment that the walk has reached.
    case segment
    /// It is the one before the next record of the sessions that matter.
    case skipping
  }

  /// How many records a step folds at most, if they are not sent.
  static let recordsPerStep: Int64 = 1024
  /// How many sessions of its beginning a step examines, if that takes little for each.
  static let sessionsPerStep = 256

  /// The position of the checkpoint or the fold that the walk began with; `nil` until that is read.
  private(set) var start: Position?
  /// The fold of the records so far. Until the walk's beginning is read, it is at position 0 and has no sessions.
  private(set) var projection: Projection
  /// The version of the fold that first folded these records; `nil` if it is the current one.
  private(set) var refoldedVersion: UInt32?
  private let log: LogView
  private let checkpoints: WalkCheckpoints
  private let isWanted: Projection.Condition
  private let computesStates: Bool
  private var phase: Phase
  private var reader: LogReader
  private var block: BlockView?
  /// The position of the last checkpoint or fold that the walk continued from, or of a segment's that it does without.
  private var passed: Position?
  private let sessionsPerStep: Int
  /// How many records a step folds at most.
  var recordsPerStep = LogWalk.recordsPerStep
  /// A search for the sessions that matter. Where indexes show that a stretch has no record of them, the walk skips to
  /// the checkpoint after it, which has the states of all sessions as if they had been folded.
  var search: SessionSearch?

  /// Begins a walk at the last checkpoint before a position.
  ///
  /// - Parameters:
  ///   - computesStates: Whether the observer needs states, and not the records alone.
  ///   - sessionsPerStep: How many sessions may be examined at once.
  ///   - isWanted: The sessions that the walk folds.
  init(
    _ log: LogView, _ checkpoints: WalkCheckpoints, fromCheckpointBefore position: Position, computesStates: Bool,
    sessionsPerStep: Int, where isWanted: @escaping Projection.Condition
  ) {
    self.log = log
    self.checkpoints = checkpoints
    self.isWanted = isWanted
    self.sessionsPerStep = sessionsPerStep
    self.computesStates = computesStates
    projection = Projection(foldVersion: log.foldVersion, where: isWanted)
    reader = LogReader(log, after: 0)
    phase = .beginning(before: position)
  }

  /// Begins a walk at a copy of a fold.
  convenience init(
    _ log: LogView, _ checkpoints: WalkCheckpoints, from fold: Projection, computesStates: Bool, sessionsPerStep: Int,
    where isWanted: @escaping Projection.Condition
  ) {
    self.init(
      log, checkpoints, fromCheckpointBefore: fold.position + 1, computesStates: computesStates,
      sessionsPerStep: sessionsPerStep, where: isWanted)
    start = fold.position
    proceed(from: fold, LogReader(log, after: fold.position))
  }

  /// How much memory the walk holds, in bytes.
  var heldBytes: Int {
    projection.queriedSize + reader.heldBytes + (block?.heldBytes ?? 0) + (search?.heldBytes ?? 0) + phase.heldBytes
  }

  // MARK: Checkpoints

  /// Whether it still reads a checkpoint, or copies the sessions of one, and folds nothing.
  var isPreparing: Bool {
    if case .folding = phase { return false }
    return true
  }

  /// Reads a bounded piece of a checkpoint, or copies a bounded number of its sessions.
  ///
  /// - Throws: `ReadError` when the log is damaged there, or no longer has it.
  func prepareSome() throws(ReadError) {
    switch phase {
    case .beginning(let position):
      let reading = try checkpoints.reading(before: position)
      phase = .reading(reading, .start)
      try read(reading, .start)
    case .reading(let reading, let purpose):
      try read(reading, purpose)
    case .copying(var copying):
      let isCopied = copying.copy(sessionsPerStep, to: projection)
      phase = isCopied ? .folding : .copying(copying)
    case .folding:
      break
    }
  }

  private func read(_ reading: CheckpointReading, _ purpose: Purpose) throws(ReadError) {
    do throws(ReadError) {
      guard let fold = try checkpoints.step(reading) else { return }
      guard isUsable(fold, reading, purpose) else { return doWithout(purpose) }
      // This opens the segment. If it was rewritten after the reading began, the new file may lack records of a session that
      // the checkpoint still has.
      var next = LogReader(log, after: fold.position)
      guard try next.open() == reading.identifier else {
        phase = .reading(try checkpoints.reading(before: reading.position), purpose)
        return
      }
      if case .start = purpose { start = fold.position }
      refoldedVersion = reading.otherVersion
      proceed(from: fold, next)
    } catch {
      guard case .logDamaged = error, canDoWithout(purpose) else { throw error }
      doWithout(purpose)
    }
  }

  private func proceed(from fold: Projection, _ reader: LogReader) {
    self.reader = reader
    block = nil
    passed = fold.position
    projection = fold.emptyCopyForQuery(computesStates: computesStates, where: isWanted)
    phase = .copying(Projection.Copying(of: fold))
  }

  /// Whether the walk can continue from a checkpoint that is read.
  private func isUsable(_ fold: Projection, _ reading: CheckpointReading, _ purpose: Purpose) -> Bool {
    switch purpose {
    case .start: true
    case .segment: fold.position == projection.position
    case .skipping: fold.position > projection.position && reading.otherVersion == nil
    }
  }

  /// Whether the walk can continue without a checkpoint that is damaged.
  private func canDoWithout(_ purpose: Purpose) -> Bool {
    switch purpose {
    case .start: false
    // The fold has the same states, unless there was a reason to leave it.
    case .segment: refoldedVersion == nil
    case .skipping: true
    }
  }

  private func doWithout(_ purpose: Purpose) {
    if case .segment = purpose { passed = projection.position }
    phase = .folding
  }

  /// Begins to continue from the checkpoint before the next record of the sessions that matter, or examines some sessions of the
  /// index to find it.
  ///
  /// - Returns: Whether such a checkpoint is known, or may be after more steps.
  private func skip(through horizon: Position) throws(ReadError) -> Bool {
    // Checkpoints of another version of the fold are left to `adoptCheckpoint`.
    guard refoldedVersion == nil else { return false }
    if try search?.examineSome(after: projection.position) == false { return true }
    guard let reading = try search?.checkpointReading(after: projection.position, through: horizon)
    else { return false }
    phase = .reading(checkpoints.shared(reading), .skipping)
    return true
  }

  /// Begins to continue from a segment's own checkpoint. It has the states that another version of the fold computed, or those
  /// of sessions whose events were taken out of the segments before.
  ///
  /// - Returns: Whether there is one.
  private func adoptCheckpoint(of first: BlockView) throws(ReadError) -> Bool {
    do throws(ReadError) {
      phase = .reading(try checkpoints.reading(before: first.firstPosition), .segment)
      return true
    } catch {
      guard case .logDamaged = error, canDoWithout(.segment) else { throw error }
      doWithout(.segment)
      return false
    }
  }

  // MARK: Records

  /// Folds a bounded number of records.
  ///
  /// - Parameters:
  ///   - horizon: The last position to fold.
  ///   - time: The last `received` to fold, microseconds since the Unix epoch.
  /// - Throws: `ReadError` when the log is damaged there.
  func advance(
    through horizon: Position, until time: Int64 = .max, _ observer: inout some ProjectionObserver
  ) throws(ReadError) -> Step {
    if isPreparing {
      try prepareSome()
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
      if log.beginsSegment(at: current.firstPosition), projection.position != passed {
        if try adoptCheckpoint(of: current) { return .more }
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
