import ScrollModel

/// Reads the log block by block from a position on, up to where the caller allows.
///
///     var reader = LogReader(opened.segments.view, after: 41)
///     switch try reader.next(through: horizon) {
///     case .block(let block): var records = block.records(after: 41) …
///     case .skipped: …                // not there yet: call again when there is time
///     case .atHorizon: …              // call again when the horizon has moved
///     }
///
/// Each call does a bounded amount of work: it reads one block, or passes over at most a few MiB of blocks that stand
/// before the position. It may read the segment that the commit thread appends to, since everything up to the horizon is
/// written and checked by its checksum.
public struct LogReader {
  /// What a call came to.
  public enum Step: Sendable {
    /// The next block. The first one may begin before the position asked for.
    case block(BlockView)
    /// Blocks before the position were passed over.
    case skipped
    /// All records up to the horizon were read.
    case atHorizon
  }

  /// How many bytes of blocks a call passes over.
  private static let skipLimit: Int64 = 4 << 20

  private struct OpenSegment {
    var firstPosition: Position
    var blocks: SegmentBlocks
  }

  private let log: LogView
  private var segment: OpenSegment?

  /// The last position that was read.
  public private(set) var position: Position

  /// A reader whose first record is the one after a position.
  public init(_ log: LogView, after position: Position) {
    self.log = log
    self.position = position
  }

  /// Reads the next block whose records lie at or before a horizon.
  ///
  /// - Throws: ``ReadError``. Called again, it tries the same place again.
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
      throw ReadError(error, file: current.blocks.file.path, offset: current.blocks.offset)
    }
  }

  /// The segment that holds the next position, opened behind its checkpoint, or by its index where that position is.
  private mutating func currentSegment() throws(ReadError) -> OpenSegment {
    let first = try log.segmentStart(of: position + 1)
    if let segment, segment.firstPosition == first { return segment }
    return OpenSegment(firstPosition: first, blocks: try log.blocks(of: first, from: position + 1))
  }
}
