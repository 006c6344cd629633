import ScrollModel

/// The reading of a sealed segment at a start: which sessions were closed in it, and what retention needs.
struct SealedReading {
  let directory: LogDirectory
  let firstPosition: Position
  /// The first position of the next segment.
  let nextPosition: Position

  private var path: String { directory.path(ofSegment: firstPosition) }

  /// Reads the segment, or only the index if it is packed. Damage is noted, not thrown.
  func run(
    _ closed: inout Set<SessionID>, _ notes: inout [RecoveryNote]
  ) throws(FileError) -> SealedSegment {
    let file = try directory.fileSystem.openForReading(path)
    var segment = SealedSegment(bytes: try file.size(), lastReceived: nil)
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      segment.isPacked = header.isPacked
      let index = header.isPacked ? try index(of: file, header, &notes) : nil
      segment.needsPacking = index == nil
      if let index {
        closed.formUnion(index.closedSessions)
        segment.lastReceived = index.lastReceived
      } else {
        segment.lastReceived = try scan(&closed)
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

  /// Reads the index; returns `nil` if it is bad.
  private func index(
    of file: any File, _ header: SegmentHeader, _ notes: inout [RecoveryNote]
  ) throws -> PackedIndex? {
    do {
      return try PackedSegment(file, header, holding: firstPosition..<nextPosition).index
    } catch let damage as LogDamage {
      notes.append(.badIndex(damage))
      return nil
    }
  }

  /// Scans all records.
  ///
  /// - Returns: when the last one was received; `nil` without records.
  private func scan(_ closed: inout Set<SessionID>) throws -> Int64? {
    var received: Int64?
    var reader = LogReader(SegmentList(directory, [firstPosition]).view, after: firstPosition - 1)
    while case .block(let block) = try reader.next(through: nextPosition - 1) {
      received = block.received
      do {
        try block.collectClosedSessions(into: &closed)
      } catch {
        let reason = "the block of position \(block.firstPosition): \(error)"
        throw LogDamage(file: path, offset: 0, reason: reason)
      }
    }
    return received
  }
}
