import ScrollModel

/// The good blocks of a damaged segment, packed or not, and the bad bytes between and after them.
struct GoodBlocks {
  /// Good blocks with consecutive positions.
  struct Stretch {
    /// The offsets of the blocks. What is between two ranges has held no records.
    var ranges: [Range<Int64>]
    /// The first position, and the one after the last block.
    var positions: Range<Position>
  }

  /// A block as it was before it was packed.
  struct Found {
    let header: BlockHeader
    let view: BlockView
    /// The offsets in the file, of the packed block that holds it if the segment is packed.
    let range: Range<Int64>
    /// The header of the block at these offsets.
    let stored: BlockHeader
    /// Whether no other block of the same packed block follows.
    let isLast: Bool
  }

  /// Which part of a file to read.
  struct Extent {
    /// Where to begin, after the checkpoint.
    var offset: Int64
    /// The first position that a block can have.
    var first: Position
    /// The position after the last one that a block can have; `nil` in the last segment.
    var next: Position?
    /// Whether the segment is packed, or may be.
    var isPacked = false
  }

  let file: any File
  let identifier: UInt64
  private let extent: Extent
  private(set) var stretches: [Stretch] = []
  /// The offsets of bad bytes, without zeros at the end of the file.
  private(set) var bad: [Range<Int64>] = []
  /// Whether bytes after the last good block are bad. They may have held any number of records.
  private(set) var hasBadEnd = false
  /// The greatest generation that a start mark names; 0 without any.
  private(set) var greatestGeneration: Generation = 0
  /// The good checkpoints within a packed segment, in order.
  private(set) var checkpoints: [Salvage.Standing] = []

  /// Finds the blocks of a segment.
  init(of file: any File, identifier: UInt64, _ extent: Extent) throws {
    self.file = file
    self.identifier = identifier
    self.extent = extent
    var scanner = SegmentScanner(file, identifier: identifier, offset: extent.offset)
    while true {
      let offset = scanner.offset
      if case .block(let header, let bytes, let at) = try scanner.next() {
        if extent.isPacked, header.kind == .innerCheckpoint {
          try addCheckpoint(header, at: offset, &scanner)
        } else {
          try add(header, header.view(bytes, at: at), offset..<scanner.offset)
        }
      } else if try scanner.skipToNextBlock() {
        addBad(offset..<scanner.offset)
      } else {
        guard let last = try SegmentReading.lastNonZero(in: file, from: offset) else { return }
        addBad(offset..<(last + 1))
        hasBadEnd = true
        return
      }
    }
  }

  /// Adds the checkpoint that begins with a block, and moves the scanner past it. A bad one costs nothing, since it is derived from
  /// the records.
  private mutating func addCheckpoint(
    _ header: BlockHeader, at offset: Int64, _ scanner: inout SegmentScanner
  ) throws {
    var reading = SegmentScanner(file, identifier: identifier, offset: offset)
    do {
      let found = try SegmentReading.checkpoint(&reading, firstPosition: header.firstPosition, kind: .innerCheckpoint)
      scanner.offset = reading.offset
      if let last = checkpoints.last, last.checkpoint.position >= found.0.position { return }
      checkpoints.append(Salvage.Standing(checkpoint: found.0, generations: found.1, isExact: true))
    } catch let error as FileError {
      throw error
    } catch {}
  }

  private mutating func add(_ header: BlockHeader, _ view: BlockView, _ range: Range<Int64>) throws {
    switch header.kind {
    case .records: break
    case .start:
      guard addMark(view) else { return addBad(range) }
    case .cleanStop: break
    case .packed:
      guard extent.isPacked, let unpacked = try? ColumnUnpacker.unpack(header, view.reader, offset: range.lowerBound)
      else { return addBad(range) }
      for (block, at) in unpacked.blocks where block.kind == .start { _ = addMark(block.view(unpacked.bytes, at: at)) }
    // The segment is rewritten, and gets a seal of its own if it needs one.
    case .seal: return
    // Those of a packed segment are derived from its records.
    case .innerCheckpoint, .packedIndex, .indexPlace: return extent.isPacked ? () : addBad(range)
    case .checkpoint, .snapshotIndex: return addBad(range)
    }
    let next = stretches.last?.positions.upperBound ?? extent.first
    guard header.firstPosition >= next else { return addBad(range) }
    if let end = extent.next {
      guard header.nextPosition <= end else { return addBad(range) }
      // A mark after lost records at the end is of no use to the next segment.
      if header.firstPosition == end, next < end { return }
    }
    guard let last = stretches.indices.last, header.firstPosition == next else {
      return stretches.append(Stretch(ranges: [range], positions: header.firstPosition..<header.nextPosition))
    }
    stretches[last].positions = stretches[last].positions.lowerBound..<header.nextPosition
    if let end = stretches[last].ranges.last, end.upperBound == range.lowerBound {
      stretches[last].ranges[stretches[last].ranges.count - 1] = end.lowerBound..<range.upperBound
    } else {
      stretches[last].ranges.append(range)
    }
  }

  /// Reads a start mark.
  ///
  /// - Returns: whether it is good.
  private mutating func addMark(_ view: BlockView) -> Bool {
    var reader = view.reader
    guard let mark = try? StartMark.read(&reader) else { return false }
    greatestGeneration = max(greatestGeneration, mark.generation)
    return true
  }

  private mutating func addBad(_ range: Range<Int64>) {
    if let last = bad.last, last.upperBound == range.lowerBound {
      bad[bad.count - 1] = last.lowerBound..<range.upperBound
    } else {
      bad.append(range)
    }
  }

  /// Reads the blocks in some ranges.
  ///
  /// - Parameter body: returns whether to continue.
  func read(_ ranges: [Range<Int64>], _ body: (Found) throws -> Bool) throws {
    for range in ranges {
      var scanner = SegmentScanner(file, identifier: identifier, offset: range.lowerBound)
      while scanner.offset < range.upperBound {
        let offset = scanner.offset
        guard case .block(let stored, let bytes, let at) = try scanner.next() else {
          // It was good a moment ago.
          throw FileError(.read, path: file.path, code: .inputOutput)
        }
        let place = offset..<scanner.offset
        let view = stored.view(bytes, at: at)
        guard stored.kind == .packed else {
          let found = Found(header: stored, view: view, range: place, stored: stored, isLast: true)
          if try !body(found) { return }
          continue
        }
        let unpacked = try ColumnUnpacker.unpack(stored, view.reader, offset: offset)
        for (index, (header, at)) in unpacked.blocks.enumerated() {
          let found = Found(
            header: header, view: header.view(unpacked.bytes, at: at), range: place, stored: stored,
            isLast: index == unpacked.blocks.count - 1)
          if try !body(found) { return }
        }
      }
    }
  }
}

extension GoodBlocks.Stretch {
  /// Removes and returns the ranges from an offset on.
  mutating func cut(at offset: Int64) -> [Range<Int64>] {
    let rest = ranges.compactMap { $0.upperBound > offset ? max(offset, $0.lowerBound)..<$0.upperBound : nil }
    ranges = ranges.compactMap { $0.lowerBound < offset ? $0.lowerBound..<min(offset, $0.upperBound) : nil }
    return rest
  }
}
