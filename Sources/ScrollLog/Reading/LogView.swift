import ScrollModel

/// The log as queries see it: positions, checkpoints and blocks, and nothing that changes it.
///
/// A view stays up to date as the log grows and as retention removes segments.
public struct LogView {
  let segments: SegmentList

  init(_ segments: SegmentList) { self.segments = segments }

  /// The first position that the log still holds.
  public var firstPosition: Position { segments.firstPosition }

  /// The version of the fold that queries continue with.
  public var foldVersion: UInt32 { segments.foldVersion }

  /// Returns the first position of the segment that holds a position; `nil` for a position before the log's first.
  public func segment(of position: Position) -> Position? { segments.segment(of: position) }

  /// Returns whether a segment begins at a position.
  public func beginsSegment(at position: Position) -> Bool { segments.segment(of: position) == position }

  /// Returns the position of the last snapshot at or before a position that holds nothing received after a time; the
  /// position itself when no such snapshot is known.
  public func position(before position: Position, receivedBy time: Int64) -> Position {
    guard let first = segments.segment(of: max(1, position)) else { return position }
    return segments.snapshot(in: first, atOrBefore: position, receivedBy: time)?.position ?? position
  }

  /// Returns the first position after the segment that a file holds; `nil` for the last segment and for other files.
  public func firstPosition(afterSegmentIn file: String) -> Position? {
    let positions = segments.firstPositions
    let index = positions.firstIndex { segments.directory.path(ofSegment: $0) == file }
    guard let index, index + 1 < positions.count else { return nil }
    return positions[index + 1]
  }

  /// Returns the gap that a repair has left at a position; `nil` if there is none.
  public func repairedGap(at position: Position) -> ClosedRange<Position>? {
    segments.repairedGaps.first { $0.contains(position) }
  }

  /// Whether the log may lack records from one position to another: those before its first one, and those that a repair has given
  /// up.
  public func mayLackRecords(in positions: ClosedRange<Position>) -> Bool {
    positions.lowerBound < firstPosition || segments.repairedGaps.contains { $0.overlaps(positions) }
  }

  /// Returns damage of the block that begins at a position.
  public func damage(at position: Position, _ reason: String) -> LogDamage {
    let file = segments.directory.path(ofSegment: segments.segment(of: position) ?? firstPosition)
    return LogDamage(file: file, offset: 0, reason: "the block of position \(position): \(reason)")
  }

  /// Begins to read the last checkpoint before a position, among those of its segment: at its head, in a snapshot beside it,
  /// or within a packed segment. A bad one that is not at the head costs only that an earlier one is read.
  ///
  /// To know the state at the position, continue the fold from there with a reader after ``Projection/position``.
  ///
  /// - Throws: ``ReadError`` when the segment is gone or cannot be opened. What is wrong with the checkpoint is thrown later.
  public func checkpointReading(before position: Position) throws(ReadError) -> CheckpointReading {
    let first = try segmentStart(of: max(1, position))
    return try reading(first) { file, header in
      let packed = try segments.recentIndexes.segment(of: file, header)
      return CheckpointReading(self, file, header, inner: packed?.index.checkpoints ?? [], before: position)
    }
  }

  /// Reads the last checkpoint before a position in one go, however long that takes.
  ///
  /// - Throws: ``ReadError``.
  public func checkpoint(before position: Position) throws(ReadError) -> Checkpoint {
    try checkpointReading(before: position).checkpoint()
  }

  /// Returns the first position of the segment that holds a position.
  ///
  /// - Throws: ``ReadError/positionTrimmed(first:)`` for a position before the log's first.
  func segmentStart(of position: Position) throws(ReadError) -> Position {
    guard let first = segments.segment(of: position) else { throw .positionTrimmed(first: firstPosition) }
    return first
  }

  /// Opens a segment at a position, or before it.
  ///
  /// - Parameter first: the segment's first position.
  func blocks(of first: Position, from position: Position) throws(ReadError) -> SegmentBlocks {
    try reading(first) { file, header in
      if let packed = try segments.recentIndexes.segment(of: file, header) { return packed.blocks(from: position) }
      if let offset = segments.offset(in: first, of: position, identifier: header.identifier) {
        let scanner = SegmentScanner(file, identifier: header.identifier, offset: offset)
        return SegmentBlocks(scanner, isPacked: header.isPacked)
      }
      // The reader skips the checkpoint at the head like the blocks after it, a few MiB at a time.
      return SegmentBlocks(SegmentScanner(file, identifier: header.identifier), isPacked: header.isPacked)
    }
  }

  /// Opens a segment by its index; `nil` when it is not packed, or its index is bad.
  ///
  /// - Parameter first: the segment's first position.
  func packedSegment(_ first: Position) throws(ReadError) -> OutlinedSegment? {
    try reading(first) { file, header in try segments.recentIndexes.segment(of: file, header) }
  }

  private func reading<Value>(
    _ first: Position, _ body: (any File, SegmentHeader) throws -> Value
  ) throws(ReadError) -> Value {
    let path = segments.directory.path(ofSegment: first)
    do {
      let file = try segments.directory.fileSystem.openForReading(path)
      return try body(file, try SegmentReading.header(of: file, firstPosition: first))
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
  }
}

extension SegmentList {
  /// The log as queries see it.
  public var view: LogView { LogView(self) }
}
