import ScrollModel

/// The reading of a sealed segment at a start: which sessions were closed in it, and what retention needs.
///
/// Once enough closed sessions are known, only the end of an older segment is read. So what a start takes doesn't grow with
/// the number of sessions that ever were.
struct SealedReading {
  let directory: LogDirectory
  let firstPosition: Position
  /// The first position of the next segment.
  let nextPosition: Position

  private var path: String { directory.path(ofSegment: firstPosition) }

  /// Reads the segment, or only the index if it is packed. Damage is noted, not thrown.
  ///
  /// - Parameter closed: collects the sessions that were closed; `nil` if enough are known.
  func run(
    _ closed: inout ClosedSessionIDs?, _ notes: inout [RecoveryNote]
  ) throws(FileError) -> SealedSegment {
    let file = try directory.fileSystem.openForReading(path)
    var segment = SealedSegment(bytes: try file.size(), lastReceived: nil)
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      segment.generation = header.generation
      segment.isPacked = header.isPacked
      segment.needsPacking = !header.isPacked
      if closed == nil, let received = try received(file, header) {
        segment.lastReceived = received
      } else if header.isPacked, let received = try readIndex(of: file, header, &closed, &notes) {
        segment.lastReceived = received
      } else {
        let last = try lastPosition(file, header)
        if last + 1 < nextPosition { segment.gap = (last + 1)...(nextPosition - 1) }
        // A packed segment has all of its positions.
        segment.needsPacking = segment.gap == nil
        segment.lastReceived = try scan(file, header, through: last, &closed)
      }
    } catch {
      switch ReadError(error, file: path, offset: 0) {
      case .file(let error): throw error
      case .logDamaged(let damage): notes.append(.sealedDamage(damage))
      case .positionTrimmed: break
      }
    }
    return segment
  }

  /// Returns when the last record was received, from the last block; `nil` if that does not say it.
  private func received(_ file: any File, _ header: SegmentHeader) throws(FileError) -> Int64? {
    let size = header.isPacked ? IndexPlace.blockSize : SegmentSeal.blockSize
    let kind = header.isPacked ? BlockKind.indexPlace : .seal
    let offset = try file.size() - Int64(size)
    guard offset >= Int64(SegmentHeader.size) else { return nil }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: offset)
    guard case .block(let last, _, _) = try scanner.next(), last.kind == kind, last.firstPosition == nextPosition
    else { return nil }
    return last.received
  }

  /// Reads the index.
  ///
  /// - Returns: when the last record was received; `nil` if the index is bad.
  private func readIndex(
    of file: any File, _ header: SegmentHeader, _ closed: inout ClosedSessionIDs?, _ notes: inout [RecoveryNote]
  ) throws -> Int64? {
    do {
      let summary = try PackedSegment.summary(of: file, header, holding: firstPosition..<nextPosition) {
        closed?.insert($0, of: $1)
      }
      return summary.lastReceived
    } catch let damage as LogDamage {
      notes.append(.badIndex(damage))
      return nil
    }
  }

  /// Returns the last position that the segment has to hold. A repair may have left a gap after it: then the seal names the next
  /// segment, and nothing more is known to be wrong.
  private func lastPosition(_ file: any File, _ header: SegmentHeader) throws(FileError) -> Position {
    guard let (block, seal) = try SegmentSeal.findBlock(in: file, header), seal.nextSegment == nextPosition else {
      return nextPosition - 1
    }
    return block.firstPosition - 1
  }

  /// Scans all records.
  ///
  /// - Returns: when the last one was received; `nil` without records.
  private func scan(
    _ file: any File, _ header: SegmentHeader, through last: Position, _ closed: inout ClosedSessionIDs?
  ) throws -> Int64? {
    var scanner = SegmentScanner(file, identifier: header.identifier)
    let checkpoint = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition).0
    var owners = SessionOwners(checkpoint)
    var received: Int64?
    var reader = LogReader(SegmentList(directory, [firstPosition]).view, after: firstPosition - 1)
    while case .block(let block) = try reader.next(through: last) {
      received = block.received
      do {
        try block.collectClosedSessions(of: &owners) { closed?.insert($0, of: $1) }
      } catch {
        let reason = "the block of position \(block.firstPosition): \(error)"
        throw LogDamage(file: path, offset: 0, reason: reason)
      }
    }
    return received
  }
}
