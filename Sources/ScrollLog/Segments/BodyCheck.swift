import ScrollModel

/// A check of the part of a segment that a start need not fold, before its last snapshot: checksums, and that positions
/// are consecutive.
struct BodyCheck {
  private var scanner: SegmentScanner
  private let end: Int64
  private var nextPosition: Position
  private let through: Position

  /// Creates a check of a segment up to a snapshot.
  ///
  /// - Parameters:
  ///   - through: the snapshot's position.
  ///   - end: where the segment's blocks up to that position end.
  init(_ file: any File, _ header: SegmentHeader, through: Position, end: Int64) {
    scanner = SegmentScanner(file, identifier: header.identifier)
    nextPosition = header.firstPosition
    self.through = through
    self.end = end
  }

  /// What has been read so far.
  var blocksRead: Int { scanner.blocksRead }
  var bytesRead: Int64 { scanner.bytesRead }

  /// Checks the next blocks.
  ///
  /// - Parameter limit: after how many bytes to pause.
  /// - Returns: whether the check is complete.
  /// - Throws: ``ReadError`` for damage, and when the file cannot be read.
  mutating func advance(_ limit: Int64) throws(ReadError) -> Bool {
    let start = scanner.offset
    while scanner.offset < end, scanner.offset - start < limit {
      let offset = scanner.offset
      do {
        let header = try scanner.verifiedHeader()
        guard header.firstPosition == nextPosition else {
          throw ContentError.positionGap(expected: nextPosition, found: header.firstPosition)
        }
        nextPosition = header.nextPosition
      } catch {
        throw ReadError(error, file: scanner.file.path, offset: offset)
      }
    }
    guard scanner.offset >= end else { return false }
    guard scanner.offset == end, nextPosition == through + 1 else {
      throw .logDamaged(
        LogDamage(
          file: scanner.file.path, offset: scanner.offset,
          reason: "position \(through) does not end at byte \(end), as its snapshot says"))
    }
    return true
  }
}
