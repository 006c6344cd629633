import ScrollModel

/// A packed segment that is open for reading, and its index.
struct PackedSegment {
  let file: any File
  let header: SegmentHeader
  let index: PackedIndex

  /// Reads the index of a packed segment.
  ///
  /// - Throws: ``FileError``, or ``LogDamage`` when the index cannot be found, or is bad: all else may be good.
  init(_ file: any File, _ header: SegmentHeader) throws {
    self.file = file
    self.header = header
    index = try Self.index(of: file, header)
  }

  /// A packed segment; `nil` for one that isn't packed, and where the index is bad: then all is found by going over the
  /// blocks, and the log's check tells of it.
  static func indexed(_ file: any File, _ header: SegmentHeader) throws -> PackedSegment? {
    guard header.isPacked else { return nil }
    do {
      return try PackedSegment(file, header)
    } catch is LogDamage {
      return nil
    }
  }

  /// Reads the index of a packed segment that has to hold some positions.
  ///
  /// - Throws: ``FileError``, or ``LogDamage`` as well when the index tells of other positions.
  init(_ file: any File, _ header: SegmentHeader, holding positions: Range<Position>) throws {
    try self.init(file, header)
    guard index.blocks.first?.firstPosition == positions.lowerBound,
      index.blocks.last?.nextPosition == positions.upperBound
    else {
      let (first, last) = (positions.lowerBound, positions.upperBound - 1)
      throw LogDamage(
        file: file.path, offset: 0,
        reason: "the packed segment's index does not reach from position \(first) to \(last)")
    }
  }

  /// Whether a packed segment's index is good and tells of the positions that the segment has to hold.
  static func isIndexed(
    _ file: any File, _ header: SegmentHeader, holding positions: Range<Position>
  ) throws(FileError) -> Bool {
    do {
      _ = try PackedSegment(file, header, holding: positions)
      return true
    } catch let error as FileError {
      throw error
    } catch {
      // Damage of the index, of which the log's check and the start tell.
      return false
    }
  }

  /// Where a packed segment's positions end, as the header of the index or of its place tells, whose contents may be bad.
  ///
  /// - Parameter scanner: stands behind the checkpoint.
  /// - Returns: the position behind the last one; `nil` where neither header is good.
  static func toldEnd(_ scanner: SegmentScanner) throws(FileError) -> Position? {
    var scanner = scanner
    repeat {
      while let header = try scanner.peek() {
        if header.kind == .packedIndex || header.kind == .indexPlace { return header.firstPosition }
        scanner.skip(header)
      }
    } while try scanner.skipToNextBlock()
    return nil
  }

  private static func index(of file: any File, _ header: SegmentHeader) throws -> PackedIndex {
    let place = try file.size() - Int64(IndexPlace.blockSize)
    func damage(_ offset: Int64, _ reason: String) -> LogDamage {
      LogDamage(file: file.path, offset: offset, reason: reason)
    }
    guard place >= SegmentHeader.size else { throw damage(0, "the packed segment's index is missing") }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: place)
    guard case .block(let last, let bytes, let at) = try scanner.next(), last.kind == .indexPlace else {
      throw damage(place, "the packed segment does not end with the place of its index")
    }
    do {
      var reader = last.view(bytes, at: at).reader
      let offset = try IndexPlace.read(&reader)
      guard offset < place else { throw ContentError.badValue(field: "offset", value: UInt64(offset)) }
      scanner = SegmentScanner(file, identifier: header.identifier, offset: offset)
      guard case .block(let block, let bytes, let at) = try scanner.next(), block.kind == .packedIndex else {
        throw damage(offset, "the packed segment's index is bad")
      }
      reader = block.view(bytes, at: at).reader
      do throws(ContentError) {
        return try PackedIndexCoding.read(&reader)
      } catch {
        throw damage(offset, "the packed segment's index: \(error)")
      }
    } catch let error as ContentError {
      throw damage(place, "the place of the packed segment's index: \(error)")
    }
  }

  /// The blocks from the one on that holds a position.
  func blocks(from position: Position) -> SegmentBlocks {
    // Behind the last block there are none.
    let offset = index.block(of: position)?.offset ?? index.blocks.last.map { $0.offset + 1 } ?? 0
    return SegmentBlocks(SegmentScanner(file, identifier: header.identifier, offset: offset), isPacked: true)
  }

  /// The last checkpoint within the segment that stands before a position.
  ///
  /// - Parameters:
  ///   - start: a position behind which it has to stand.
  ///   - position: the position before which it has to stand.
  ///   - foldVersion: the version of the fold that is to go on from it.
  /// - Returns: `nil` where there is none that is good and of that version: then what the segment begins with is next.
  func checkpoint(
    between start: Position = 0, and position: Position, foldVersion: UInt32
  ) throws(FileError) -> Checkpoint? {
    for inner in index.checkpoints.reversed() where inner.position > start && inner.position < position {
      var scanner = SegmentScanner(file, identifier: header.identifier, offset: inner.offset)
      do {
        let (checkpoint, _) = try SegmentReading.checkpoint(
          &scanner, firstPosition: inner.position + 1, kind: .innerCheckpoint)
        if checkpoint.foldVersion == foldVersion { return checkpoint }
      } catch let error as FileError {
        throw error
      } catch {
        // Bad bytes here cost only the time to fold from an earlier place; the log's check tells of them.
        continue
      }
    }
    return nil
  }
}
