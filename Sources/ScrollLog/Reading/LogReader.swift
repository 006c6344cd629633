import ScrollModel

/// A cursor over the blocks of the log, from a position on and up to where the caller allows.
///
///     var reader = LogReader(opened.segments.view, after: 41)
///     switch try reader.next(through: horizon) {
///     case .block(let block): var records = block.records(after: 41) …
///     case .skipped: …                // nothing yet: call again when there is time
///     case .atHorizon: …              // call again when the horizon has moved
///     }
///
/// Each call does a bounded amount of work: it reads one block, or skips at most a few MiB of blocks before the position.
/// It may read the segment that the commit thread appends to, since everything up to the horizon is written and has a
/// checksum.
public struct LogReader {
  /// The result of a call.
  public enum Step: Sendable {
    /// The next block. The first one may begin before the reader's first record.
    case block(BlockView)
    /// Blocks before the position were skipped.
    case skipped
    /// All records up to the horizon have been read.
    case atHorizon
  }

  /// How many bytes of blocks a call skips.
  private static let skipLimit: Int64 = 4 << 20

  private struct OpenSegment {
    var firstPosition: Position
    var blocks: SegmentBlocks
  }

  private let log: LogView
  private var segment: OpenSegment?

  /// The last position that was read.
  public private(set) var position: Position

  /// How much memory the reader holds, in bytes.
  public var heldBytes: Int { segment?.blocks.heldBytes ?? 0 }

  /// Creates a reader whose first record is the one after a position.
  public init(_ log: LogView, after position: Position) {
    self.log = log
    self.position = position
  }

  /// Opens the segment of the next record. The reader then keeps to this file, even if another one gets its name.
  ///
  /// - Returns: the identifier of the file, as in ``CheckpointReading/identifier``.
  /// - Throws: ``ReadError``.
  public mutating func open() throws(ReadError) -> UInt64 {
    let current = try currentSegment()
    segment = current
    return current.blocks.identifier
  }

  /// Reads the next block whose records are at or before a horizon.
  ///
  /// - Throws: ``ReadError``. The next call tries the same place again.
  public mutating func next(through horizon: Position) throws(ReadError) -> Step {
    guard position < horizon else { return .atHorizon }
    var current = try currentSegment()
    var passed: Int64 = 0
    do {
      while let count = try current.blocks.skip(before: position + 1) {
        passed += count
        if passed > Self.skipLimit {
          segment = current
          return .skipped
        }
      }
      let block = try current.blocks.block(holding: position + 1)
      segment = current
      position = block.lastPosition
      return .block(block)
    } catch {
      let found = ReadError(error, file: current.blocks.file.path, offset: current.blocks.offset)
      guard case .logDamaged(var damage) = found, let gap = log.repairedGap(at: position + 1) else { throw found }
      damage.lostInRepair = gap
      throw .logDamaged(damage)
    }
  }

  /// Returns the segment that holds the next position, opened at or before that position.
  private mutating func currentSegment() throws(ReadError) -> OpenSegment {
    let first = try log.segmentStart(of: position + 1)
    if let segment, segment.firstPosition == first { return segment }
    return OpenSegment(firstPosition: first, blocks: try log.blocks(of: first, from: position + 1))
  }
}
