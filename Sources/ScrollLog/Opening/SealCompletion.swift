import ScrollModel

/// The seal of a segment that another one follows, written by a start if it is missing: a daemon was killed right after it
/// had begun the next segment, found no space for the seal, or was an older version that wrote none.
struct SealCompletion {
  let directory: LogDirectory
  /// The first position of the segment.
  let firstPosition: Position
  /// The first position of the next segment.
  let nextSegment: Position

  /// Seals the segment unless it is sealed, packed or damaged. Readers report damage.
  ///
  /// - Returns: the size of the file if it was changed.
  func run() throws(FileError) -> Int64? {
    let path = directory.path(ofSegment: firstPosition)
    let file = try directory.fileSystem.openForReading(path)
    let header: SegmentHeader
    var scanner: SegmentScanner
    do {
      header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      if header.isPacked { return nil }
      if try SegmentSeal.find(in: file, header) != nil { return nil }
      scanner = SegmentScanner(file, identifier: header.identifier)
      _ = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    } catch let error as FileError {
      throw error
    } catch {
      return nil
    }
    var received: Int64 = 0
    var next = firstPosition
    while case .block(let block, _, _) = try scanner.next() {
      guard block.firstPosition == next else { return nil }
      next = block.nextPosition
      received = block.received
    }
    guard next == nextSegment else { return nil }
    var writer = ByteWriter(capacity: SegmentSeal.blockSize)
    SegmentSeal(nextSegment: nextSegment).append(
      after: next - 1, received: received, end: scanner.offset, identifier: header.identifier, to: &writer)
    let writable = try directory.fileSystem.openForWriting(path)
    do throws(FileError) {
      try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in
        try writable.write(bytes, at: scanner.offset)
      }
      // Nothing but zeros, or the rest of an earlier attempt.
      try writable.truncate(to: scanner.offset + Int64(writer.count))
      try writable.sync()
    } catch {
      guard error.isNoSpace else { throw error }
      // The records are all there, and the next start tries again. But no part of the seal may stay.
      try writable.truncate(to: scanner.offset)
      try writable.sync()
    }
    return try writable.size()
  }
}
