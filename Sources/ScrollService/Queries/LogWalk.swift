// Folds a part of the log again, a bounded piece at a time.

import ScrollLog
import ScrollModel
import Varlink

/// Folds a part of the log again, a bounded piece at a time, beginning at the checkpoint before it.
final class LogWalk {
  /// What a piece came to.
  enum Step {
    /// There is more.
    case more
    /// All up to the horizon is folded.
    case atHorizon
  }

  /// How many records a piece folds at the most.
  private static let pieceSize: Int64 = 1024

  /// The position of the checkpoint or fold that it began with.
  let start: Position
  /// The fold as far as it has come.
  private(set) var projection: Projection
  /// The version of the fold that folded the records when they came, where it is another one than this.
  private(set) var refoldedVersion: UInt32?
  private let log: LogView
  private var reader: LogReader
  private var block: BlockView?
  /// The sessions that it is all about: what holds nothing of them is passed over from checkpoint to checkpoint where
  /// indexes tell. At each one all sessions are as if they had been folded.
  var search: SessionSearch?

  /// A walk that begins at the last checkpoint at or before a position.
  ///
  /// - Throws: `ReadError` when the log no longer reaches back so far, or is damaged there.
  init(_ log: LogView, from position: Position) throws(ReadError) {
    let checkpoint = try log.checkpoint(before: position + 1)
    start = checkpoint.position
    self.log = log
    if checkpoint.foldVersion != log.foldVersion { refoldedVersion = checkpoint.foldVersion }
    projection = Projection(checkpoint, foldVersion: log.foldVersion)
    reader = LogReader(log, after: checkpoint.position)
  }

  /// A walk that begins at a copy of a fold.
  init(_ log: LogView, from start: Projection) {
    self.start = start.position
    self.log = log
    projection = start.copy()
    reader = LogReader(log, after: start.position)
  }

  /// Goes on from a segment's own checkpoint, since that has the states as another version of the fold made them.
  private func takeUp(_ first: BlockView) throws(ReadError) {
    let checkpoint = try log.checkpoint(before: first.firstPosition)
    guard checkpoint.position == projection.position else { return }
    refoldedVersion = checkpoint.foldVersion == log.foldVersion ? nil : checkpoint.foldVersion
    projection = Projection(checkpoint, foldVersion: log.foldVersion)
  }

  /// Goes on from the checkpoint before the next record that is sought, where one is known.
  private func passOver(through horizon: Position) throws(ReadError) -> Bool {
    // The checkpoints of another version of the fold are for `takeUp`.
    guard refoldedVersion == nil,
      let checkpoint = try search?.checkpoint(after: projection.position, through: horizon)
    else { return false }
    projection = Projection(checkpoint, foldVersion: log.foldVersion)
    reader = LogReader(log, after: checkpoint.position)
    return true
  }

  /// Folds the next piece.
  ///
  /// - Parameters:
  ///   - horizon: The last position to fold.
  ///   - time: The last `received` to fold, microseconds since the Unix epoch.
  /// - Throws: `ReadError` when the log is damaged there.
  func advance(
    through horizon: Position, until time: Int64 = .max, _ observer: inout some ProjectionObserver
  ) throws(ReadError) -> Step {
    if projection.position >= horizon { return .atHorizon }
    let current: BlockView
    if let block, block.lastPosition > projection.position {
      current = block
    } else {
      if try passOver(through: horizon) { return .more }
      switch try reader.next(through: horizon) {
      case .block(let next): current = next
      case .skipped: return .more
      case .atHorizon: return .atHorizon
      }
      block = current
      if refoldedVersion != nil, log.beginsSegment(at: current.firstPosition) { try takeUp(current) }
    }
    if current.received > time { return .atHorizon }
    do throws(ContentError) {
      let limit = min(horizon, projection.position + Self.pieceSize)
      try projection.apply(current, through: limit, observer: &observer)
    } catch {
      throw .logDamaged(log.damage(at: current.firstPosition, "\(error)"))
    }
    return .more
  }
}
