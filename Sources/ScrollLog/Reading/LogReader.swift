// Reads the log from a position on.

import ScrollModel

/// Reads the log block by block from a position on, up to where the caller allows.
///
///     var reader = LogReader(opened.segments, after: 41)
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

  private let segments: SegmentList
  private var segment: OpenSegment?

  /// The last position that was read.
  public private(set) var position: Position

  /// A reader whose first record is the one after a position.
  public init(_ segments: SegmentList, after position: Position) {
    self.segments = segments
    self.position = position
  }

  /// The last checkpoint before a position that its segment has: at its head, of a snapshot beside it or within a packed one.
  /// There a fold begins that wants to know the state at that position, reading on with a reader after
  /// ``Checkpoint/position``.
  ///
  /// - Throws: ``ReadError``.
  public static func checkpoint(_ segments: SegmentList, before position: Position) throws(ReadError) -> Checkpoint {
    guard let first = segments.segment(of: max(1, position)) else {
      throw .positionTrimmed(first: segments.firstPosition)
    }
    if let checkpoint = segments.snapshot(in: first, before: position) { return checkpoint }
    let path = segments.directory.path(of: SegmentName.of(first))
    do {
      let file = try segments.directory.fileSystem.openForReading(path)
      let header = try SegmentReading.header(of: file, firstPosition: first)
      if let packed = try PackedSegment.indexed(file, header),
        let inner = try packed.checkpoint(and: position, foldVersion: segments.foldVersion)
      {
        return inner
      }
      var scanner = SegmentScanner(file, identifier: header.identifier)
      return try SegmentReading.checkpoint(&scanner, firstPosition: first).0
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
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

  /// The segment that the next position belongs to, opened behind its checkpoint, or by its index where that position is.
  private mutating func currentSegment() throws(ReadError) -> OpenSegment {
    guard let first = segments.segment(of: position + 1) else {
      throw .positionTrimmed(first: segments.firstPosition)
    }
    if let segment, segment.firstPosition == first { return segment }
    return OpenSegment(firstPosition: first, blocks: try Self.open(segments, first, at: position + 1))
  }

  /// A segment opened at a position, or before it.
  private static func open(
    _ segments: SegmentList, _ first: Position, at position: Position
  ) throws(ReadError) -> SegmentBlocks {
    let path = segments.directory.path(of: SegmentName.of(first))
    do {
      let file = try segments.directory.fileSystem.openForReading(path)
      let header = try SegmentReading.header(of: file, firstPosition: first)
      if let packed = try PackedSegment.indexed(file, header) { return packed.blocks(from: position) }
      if let offset = segments.offset(in: first, of: position, identifier: header.identifier) {
        let scanner = SegmentScanner(file, identifier: header.identifier, offset: offset)
        return SegmentBlocks(scanner, isPacked: header.isPacked)
      }
      var scanner = SegmentScanner(file, identifier: header.identifier)
      _ = try SegmentReading.checkpoint(&scanner, firstPosition: first)
      return SegmentBlocks(scanner, isPacked: header.isPacked)
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
  }
}
