import ScrollModel

/// The fold at the end of a packed segment. Where records are bad, it continues from the next checkpoint within the segment.
struct PackedSegmentFold {
  /// The fold up to the last good record, or to the last good checkpoint if that comes later.
  private(set) var fold: SegmentFold
  /// The first bad bytes that hold, or may hold, records.
  private(set) var damage: LogDamage?
  /// The position after the last one of the segment.
  private(set) var end: Position
  /// Whether the fold is known to be what it would be without the damage.
  private(set) var isExact = true

  /// Folds a segment.
  ///
  /// - Throws: ``FileError``; ``LogDamage`` when the checkpoint at the segment's head is bad.
  init(_ file: any File, _ header: SegmentHeader) throws {
    var scanner = SegmentScanner(file, identifier: header.identifier)
    let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: header.firstPosition)
    fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
    end = header.firstPosition
    let recordedEnd = try PackedSegment.recordedEnd(scanner)
    var isWhole = true
    while true {
      let offset = scanner.offset
      func problem(_ reason: String) -> LogDamage { LogDamage(file: file.path, offset: offset, reason: reason) }
      switch try scanner.next() {
      case .block(let block, let bytes, let at):
        switch block.kind {
        case .packed:
          end = max(end, block.nextPosition)
          // After a gap, only the next checkpoint shows how the sessions continue.
          guard isExact else { continue }
          do throws(ContentError) {
            try take(block, block.view(bytes, at: at), offset)
          } catch {
            isExact = false
            damage = damage ?? problem("\(error)")
          }
        case .innerCheckpoint:
          scanner.offset = offset
          if let (inner, generations) = try innerCheckpoint(&scanner, block) {
            if inner.position != fold.projection.position {
              fold = SegmentFold(inner, generations, boot: fold.boot, syncMode: fold.syncMode)
            }
            isExact = true
          } else if try !scanner.skipToNextBlock() {
            scanner.offset = try file.size()
          }
        case .packedIndex, .indexPlace, .records, .start, .cleanStop, .seal, .checkpoint, .snapshotIndex:
          continue
        }
      case .bad(let reason):
        isWhole = false
        if damage == nil { damage = problem("\(reason)") }
        if try scanner.skipToNextBlock() { continue }
        finish(recordedEnd, isWhole)
        return
      case .end:
        if try SegmentReading.lastNonZero(in: file, from: offset) != nil, try scanner.skipToNextBlock() {
          isWhole = false
          continue
        }
        finish(recordedEnd, isWhole)
        return
      }
    }
  }

  private mutating func finish(_ recordedEnd: Position?, _ isWhole: Bool) {
    end = max(end, fold.projection.position + 1, recordedEnd ?? 0)
    // Without the index nothing shows whether bad bytes at the end have held records.
    isExact = isExact && fold.projection.position + 1 == end && (isWhole || recordedEnd != nil)
    if isExact, isWhole { damage = nil }
  }

  private mutating func take(_ block: BlockHeader, _ view: BlockView, _ offset: Int64) throws(ContentError) {
    for (header, at) in try ColumnUnpacker.unpack(block, view.reader, offset: offset).asBlocks() {
      try fold.take(header, at)
    }
  }

  private func innerCheckpoint(
    _ scanner: inout SegmentScanner, _ block: BlockHeader
  ) throws(FileError) -> (Checkpoint, GenerationHistory)? {
    do {
      return try SegmentReading.checkpoint(&scanner, firstPosition: block.firstPosition, kind: .innerCheckpoint)
    } catch let error as FileError {
      throw error
    } catch {
      // It is derived from records.
      return nil
    }
  }
}

extension UnpackedBlocks {
  /// Returns the blocks with their records.
  fileprivate func asBlocks() -> [(BlockHeader, BlockView)] {
    blocks.map { ($0.header, $0.header.view(bytes, at: $0.at)) }
  }
}
