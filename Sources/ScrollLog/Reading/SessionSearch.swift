import ScrollModel

/// Tells by the indexes of packed segments which parts of the log hold no record of the sessions that are sought, so
/// that they need not be unpacked.
///
/// What is not packed, or has a bad index, may hold anything. What the indexes say is that the session's records aren't
/// there; the fold goes on behind that from a checkpoint:
///
///     if let checkpoint = try search.checkpoint(after: position, through: horizon) {
///       projection = Projection(checkpoint)
///       reader = LogReader(log, after: checkpoint.position)
///     }
public struct SessionSearch {
  /// A segment, and where records that are sought stand in it.
  private struct Part {
    var firstPosition: Position
    /// The positions of the packed blocks that hold some, ascending; `nil` where there is no index to go by.
    var wanted: [Range<Position>]?
    /// The segment's last position by its index.
    var last: Position = 0
    var packed: PackedSegment?

    /// The last position from the one behind another on before which there is nothing; at least that other one.
    func end(after position: Position) -> Position {
      guard let wanted else { return position }
      let next = wanted.first { $0.upperBound > position + 1 }
      return max(position, next.map { $0.lowerBound - 1 } ?? last)
    }
  }

  private let log: LogView
  private let isWanted: (SessionID, ClientID) -> Bool
  private var part: Part?
  /// Up to here there is no checkpoint to go on from.
  private var looked: Position = 0

  /// A search for the sessions of which a condition holds.
  public init(_ log: LogView, where isWanted: @escaping (SessionID, ClientID) -> Bool) {
    self.log = log
    self.isWanted = isWanted
  }

  /// Whether certainly no record that is sought stands behind a position and up to another.
  ///
  /// - Throws: ``ReadError`` when a file cannot be read, or the log no longer reaches back so far.
  public mutating func isNothing(after position: Position, through last: Position) throws(ReadError) -> Bool {
    var reached = position
    while reached < last {
      let end = try part(of: reached + 1).end(after: reached)
      if end == reached { return false }
      reached = end
    }
    return true
  }

  /// The last checkpoint of a position's segment, or the next one's, from which to go on, since nothing that is sought
  /// stands between the position and it.
  ///
  /// - Parameter horizon: the last position that it may stand at.
  /// - Returns: `nil` where there is none: then the next block is to be read.
  /// - Throws: ``ReadError`` when a file cannot be read, or the log no longer reaches back so far. Damage is not told of.
  public mutating func checkpoint(
    after position: Position, through horizon: Position
  ) throws(ReadError) -> Checkpoint? {
    guard position < horizon, position >= looked else { return nil }
    let part = try part(of: position + 1)
    let end = min(part.end(after: position), horizon)
    guard end > position, let packed = part.packed else {
      looked = position + 1
      return nil
    }
    looked = end
    do {
      let found =
        end == part.last
        ? try log.checkpoint(before: end + 1)
        : try packed.checkpoint(between: position, and: end + 1, foldVersion: log.foldVersion)
      guard let found, found.position > position, found.position <= end, found.foldVersion == log.foldVersion
      else { return nil }
      return found
    } catch {
      let error = ReadError(error, file: packed.file.path, offset: 0)
      // Bad bytes here cost only the time to fold the blocks; whether those can be read is for their reader to find.
      guard case .logDamaged = error else { throw error }
      return nil
    }
  }

  private mutating func part(of position: Position) throws(ReadError) -> Part {
    let first = try log.segmentStart(of: position)
    if let part, part.firstPosition == first { return part }
    let new = try Self.part(log, first, isWanted)
    part = new
    return new
  }

  private static func part(
    _ log: LogView, _ first: Position, _ isWanted: (SessionID, ClientID) -> Bool
  ) throws(ReadError) -> Part {
    do throws(ReadError) {
      guard let packed = try log.packedSegment(first), let last = packed.index.blocks.last else {
        return Part(firstPosition: first)
      }
      // A forgotten session's index entry no longer says which client it belonged to.
      let sought = packed.index.sessions.map { session in session.client.map { isWanted(session.id, $0) } ?? true }
      let wanted = packed.index.blocks.filter { block in block.sessions.contains { sought[$0] } }
      return Part(
        firstPosition: first, wanted: wanted.map { $0.firstPosition..<$0.nextPosition },
        last: last.nextPosition - 1, packed: packed)
    } catch {
      guard case .logDamaged = error else { throw error }
      return Part(firstPosition: first)
    }
  }
}
