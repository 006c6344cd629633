import ScrollModel

/// A packed segment that is open for reading, with its index.
struct PackedSegment {
  let file: any File
  let header: SegmentHeader
  let index: PackedIndex

  /// Reads the index of a packed segment.
  ///
  /// - Throws: ``FileError``; ``LogDamage`` when the index is missing or bad, though everything else may be good.
  init(_ file: any File, _ header: SegmentHeader) throws {
    self.file = file
    self.header = header
    index = try Self.index(of: file, header)
  }

  /// Reads the index of a segment, if it is packed.
  ///
  /// - Returns: `nil` if it is not packed, or if the index is bad. Then readers scan all blocks; verification reports the
  ///   bad index.
  static func indexed(_ file: any File, _ header: SegmentHeader) throws -> PackedSegment? {
    guard header.isPacked else { return nil }
    do {
      return try PackedSegment(file, header)
    } catch is LogDamage {
      return nil
    }
  }

  /// Reads the index of a packed segment and checks that it covers the positions that the segment has to hold.
  ///
  /// - Throws: ``FileError``; ``LogDamage``, also when the index covers other positions.
  init(_ file: any File, _ header: SegmentHeader, holding positions: Range<Position>) throws {
    try self.init(file, header)
    guard index.blocks.first?.firstPosition == positions.lowerBound,
      index.blocks.last?.nextPosition == positions.upperBound
    else { throw Self.otherPositions(file, positions) }
  }

  /// Returns whether the index of a packed segment is good and covers the positions that the segment has to hold.
  static func isIndexed(
    _ file: any File, _ header: SegmentHeader, holding positions: Range<Position>
  ) throws(FileError) -> Bool {
    do {
      _ = try PackedSegment(file, header, holding: positions)
      return true
    } catch let error as FileError {
      throw error
    } catch {
      // Verification and the next start report the damage.
      return false
    }
  }

  /// Finds where the positions of a packed segment end, from the header of the index or of the last block, even if their
  /// contents are bad.
  ///
  /// - Parameter scanner: a scanner after the checkpoint.
  /// - Returns: the position after the last one; `nil` if both headers are bad.
  static func recordedEnd(_ scanner: SegmentScanner) throws(FileError) -> Position? {
    var scanner = scanner
    repeat {
      while let header = try scanner.peek() {
        if header.kind == .packedIndex || header.kind == .indexPlace { return header.firstPosition }
        scanner.skip(header)
      }
    } while try scanner.skipToNextBlock()
    return nil
  }

  /// Reads what readers need of the index of a segment, if it is packed.
  ///
  /// - Returns: `nil` in the same cases as ``indexed(_:_:)``.
  static func outline(of file: any File, _ header: SegmentHeader) throws -> IndexOutline? {
    guard header.isPacked else { return nil }
    do {
      return try reading(file, header) { (reader) throws(ContentError) in try IndexOutline(&reader) }
    } catch is LogDamage {
      return nil
    }
  }

  private static func index(of file: any File, _ header: SegmentHeader) throws -> PackedIndex {
    try reading(file, header) { (reader) throws(ContentError) in try PackedIndexCoding.read(&reader) }
  }

  /// Reads what a start needs from the index, without keeping the rest of it.
  ///
  /// - Parameter closed: called with each session that was closed in the segment.
  /// - Throws: the same errors as ``init(_:_:holding:)``.
  static func summary(
    of file: any File, _ header: SegmentHeader, holding positions: Range<Position>,
    closed: (SessionID, SessionOwner) -> Void
  ) throws -> PackedIndexCoding.Summary {
    let summary = try reading(file, header) { (reader) throws(ContentError) in
      try PackedIndexCoding.readSummary(&reader, closed: closed)
    }
    guard summary.firstPosition == positions.lowerBound, summary.nextPosition == positions.upperBound else {
      throw otherPositions(file, positions)
    }
    return summary
  }

  private static func otherPositions(_ file: any File, _ positions: Range<Position>) -> LogDamage {
    LogDamage(
      file: file.path, offset: 0,
      reason:
        "the packed segment's index does not cover positions \(positions.lowerBound) to \(positions.upperBound - 1)")
  }

  private static func reading<Value>(
    _ file: any File, _ header: SegmentHeader, _ body: (inout ByteReader) throws(ContentError) -> Value
  ) throws -> Value {
    let place = try file.size() - Int64(IndexPlace.blockSize)
    func damage(_ offset: Int64, _ reason: String) -> LogDamage {
      LogDamage(file: file.path, offset: offset, reason: reason)
    }
    guard place >= SegmentHeader.size else { throw damage(0, "the packed segment's index is missing") }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: place)
    guard case .block(let last, let bytes, let at) = try scanner.next(), last.kind == .indexPlace else {
      throw damage(place, "the packed segment does not end with the offset of its index")
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
        return try body(&reader)
      } catch {
        throw damage(offset, "the packed segment's index: \(error)")
      }
    } catch let error as ContentError {
      throw damage(place, "the offset of the packed segment's index: \(error)")
    }
  }
}
