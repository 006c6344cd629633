import ScrollModel

/// A search in the indexes of packed segments for parts of the log without records of some sessions, so that these parts
/// need not be unpacked.
///
/// Segments without a good index may hold anything. After a part without records of the sessions, the fold continues from a
/// checkpoint:
///
///     if let reading = try search.checkpointReading(after: position, through: horizon) {
///       // Later, when reading.step() returns the fold:
///       reader = LogReader(view, after: fold.position)
///     }
public struct SessionSearch {
  /// A segment, and where the records of the sessions are in it.
  private struct Part {
    var firstPosition: Position
    /// The positions of the packed blocks with records of the sessions, ascending; `nil` without a good index.
    var wanted: [Range<Position>]?
    /// The segment's last position, from its index.
    var last: Position = 0
    var packed: OutlinedSegment?
    /// How much memory its index takes, in bytes.
    var indexBytes = 0
    /// The examination of the index's sessions; `nil` when there is nothing more to examine.
    var examination: IndexOutline.Examination?

    /// Returns the last position of the longest part after a position that has no records of the sessions; the position
    /// itself if there is no such part.
    func end(after position: Position) -> Position {
      guard let wanted else { return position }
      let next = wanted.first { $0.upperBound > position + 1 }
      return max(position, next.map { $0.lowerBound - 1 } ?? last)
    }
  }

  /// How many sessions of an index a call examines, unless that takes long for each.
  public static let standardSessionsPerStep = 512

  private let log: LogView
  private let isWanted: (SessionID, ClientID) -> Bool
  private let sessionsPerStep: Int
  private var part: Part?
  /// Up to here there is no checkpoint to continue from.
  private var looked: Position = 0

  /// Creates a search for the sessions that meet a condition.
  ///
  /// - Parameter sessionsPerStep: how many sessions of an index a call examines at most. Until all of an index are examined,
  ///   it counts as a bad one, and the blocks would be read.
  public init(
    _ log: LogView, sessionsPerStep: Int = standardSessionsPerStep,
    where isWanted: @escaping (SessionID, ClientID) -> Bool
  ) {
    self.log = log
    self.sessionsPerStep = sessionsPerStep
    self.isWanted = isWanted
  }

  /// How much memory the index takes in which it searches, in bytes.
  public var heldBytes: Int { part?.indexBytes ?? 0 }

  /// Examines some sessions of the index of the segment after a position.
  ///
  /// - Returns: whether all are examined, or there is no good index.
  /// - Throws: ``ReadError`` when a file cannot be read, or when the log no longer holds the position.
  public mutating func examineSome(after position: Position) throws(ReadError) -> Bool {
    try part(of: position + 1).examination == nil
  }

  /// Returns the last position of the longest part after a position, within a segment, that certainly has no record of the
  /// sessions; the position itself if there is no such part. It looks at one segment.
  ///
  /// - Throws: ``ReadError`` when a file cannot be read, or when the log no longer holds the position.
  public mutating func endOfNothing(after position: Position) throws(ReadError) -> Position {
    try part(of: position + 1).end(after: position)
  }

  /// Begins to read a checkpoint after a position, in the same segment or at the start of the next one, without records of the
  /// sessions between the two.
  ///
  /// - Parameter horizon: the last position that the checkpoint may have.
  /// - Returns: a reading of the last such checkpoint; `nil` if no such checkpoint exists, and the next block has to be read. If
  ///   the checkpoint is bad, the reading ends with an error or with one that is not after the position.
  /// - Throws: ``ReadError`` when a file cannot be read, or when the log no longer holds the position. Damage is not
  ///   reported.
  public mutating func checkpointReading(
    after position: Position, through horizon: Position
  ) throws(ReadError) -> CheckpointReading? {
    guard position < horizon, position >= looked else { return nil }
    let part = try part(of: position + 1)
    let end = min(part.end(after: position), horizon)
    guard end > position, let packed = part.packed else {
      looked = position + 1
      return nil
    }
    looked = end
    let isInside = packed.index.checkpoints.contains { $0.position > position && $0.position <= end }
    guard end == part.last || isInside else { return nil }
    do throws(ReadError) {
      return try log.checkpointReading(before: end + 1)
    } catch {
      // Bad bytes here cost only the time to fold the blocks. Their reader will find out whether those are damaged.
      guard case .logDamaged = error else { throw error }
      return nil
    }
  }

  private mutating func part(of position: Position) throws(ReadError) -> Part {
    let first = try log.segmentStart(of: position)
    var current = if let part, part.firstPosition == first { part } else { try Self.part(log, first) }
    part = nil
    examineSome(&current)
    part = current
    return current
  }

  private func examineSome(_ part: inout Part) {
    guard let packed = part.packed, var examination = part.examination else { return }
    part.examination = nil
    do throws(ContentError) {
      try examination.examine(sessionsPerStep, where: isWanted)
    } catch {
      // The index is bad, and the blocks say what they have.
      part.packed = nil
      return
    }
    if !examination.isDone {
      part.examination = examination
      return
    }
    let wanted = packed.index.blocks.filter { block in block.sessions.contains { examination.isWanted[$0] } }
    part.wanted = wanted.map { $0.firstPosition..<$0.nextPosition }
  }

  private static func part(_ log: LogView, _ first: Position) throws(ReadError) -> Part {
    do throws(ReadError) {
      guard let packed = try log.packedSegment(first), let last = packed.index.blocks.last else {
        return Part(firstPosition: first)
      }
      return Part(
        firstPosition: first, last: last.nextPosition - 1, packed: packed,
        indexBytes: packed.index.heldBytes, examination: IndexOutline.Examination(packed.index))
    } catch {
      guard case .logDamaged = error else { throw error }
      return Part(firstPosition: first)
    }
  }
}
