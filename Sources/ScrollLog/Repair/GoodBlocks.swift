import ScrollModel

/// The good blocks of a damaged segment, and the bad bytes between and after them.
struct GoodBlocks {
  /// Good blocks with consecutive positions.
  struct Stretch {
    /// The offsets of the blocks. Bad bytes between two ranges have held no records.
    var ranges: [Range<Int64>]
    /// The first position, and the one after the last block.
    var positions: Range<Position>
  }

  let file: any File
  let identifier: UInt64
  private(set) var stretches: [Stretch] = []
  /// The offsets of bad bytes, without zeros at the end of the file.
  private(set) var bad: [Range<Int64>] = []
  /// Whether bytes after the last good block are bad. They may have held any number of records.
  private(set) var hasBadEnd = false
  /// The greatest generation that a start mark names; 0 without any.
  private(set) var greatestGeneration: Generation = 0

  /// Finds the blocks of a segment.
  ///
  /// - Parameters:
  ///   - offset: where to begin, after the checkpoint.
  ///   - first: the first position that a block can have.
  init(of file: any File, identifier: UInt64, from offset: Int64, firstPosition first: Position) throws {
    self.file = file
    self.identifier = identifier
    var scanner = SegmentScanner(file, identifier: identifier, offset: offset)
    while true {
      let offset = scanner.offset
      if case .block(let header, let bytes, let at) = try scanner.next() {
        try add(header, header.view(bytes, at: at), offset..<scanner.offset, from: first)
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

  private mutating func add(
    _ header: BlockHeader, _ view: BlockView, _ range: Range<Int64>, from first: Position
  ) throws {
    switch header.kind {
    case .records: break
    case .start:
      var reader = view.reader
      guard let mark = try? StartMark.read(&reader) else { return addBad(range) }
      greatestGeneration = max(greatestGeneration, mark.generation)
    case .cleanStop: break
    // The segment is rewritten, and gets a seal of its own if it needs one.
    case .seal: return
    case .checkpoint, .snapshotIndex, .packed, .innerCheckpoint, .packedIndex, .indexPlace: return addBad(range)
    }
    let next = stretches.last?.positions.upperBound ?? first
    guard header.firstPosition >= next else { return addBad(range) }
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
  func read(
    _ ranges: [Range<Int64>], _ body: (BlockHeader, BlockView, Range<Int64>) throws -> Bool
  ) throws {
    for range in ranges {
      var scanner = SegmentScanner(file, identifier: identifier, offset: range.lowerBound)
      while scanner.offset < range.upperBound {
        let offset = scanner.offset
        guard case .block(let header, let bytes, let at) = try scanner.next() else {
          // It was good a moment ago.
          throw FileError(.read, path: file.path, code: .inputOutput)
        }
        if try !body(header, header.view(bytes, at: at), offset..<scanner.offset) { return }
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
