import ScrollModel

/// The start of a new segment when the last one is packed and so must not be written to. The newer segments are missing,
/// since a segment is packed only after the next one was begun.
struct SuccessorSegment {
  let directory: LogDirectory
  let options: LogOptions
  /// The first position of the last segment.
  let last: Position

  /// Creates the segment if it is needed.
  ///
  /// - Returns: its first position; `nil` if the last segment can be written to.
  /// - Throws: ``OpenError/damaged(_:)`` when records of the packed segment cannot be read; ``OpenError/file(_:)``.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> Position? {
    let path = directory.path(ofSegment: last)
    do {
      let file = try directory.fileSystem.openForReading(path)
      guard let header = try Self.packedHeader(of: file, firstPosition: last) else { return nil }
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: last)
      var fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
      // A bad index does no harm here, since all blocks are read. But if nothing shows where the positions end, bad bytes may
      // have held records.
      let end = try PackedSegment.recordedEnd(scanner) ?? .max
      var blocks = SegmentBlocks(scanner, isPacked: true)
      try blocks.readAll(of: last..<end) { try fold.take($0, $1) }
      return try begin(fold, &notes)
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      throw .damaged(LogDamage(file: path, offset: 0, reason: "\(error)"))
    }
  }

  /// Reads the header of a segment; returns `nil` if the segment is not packed, or if the header is bad.
  static func packedHeader(of file: any File, firstPosition: Position) throws(FileError) -> SegmentHeader? {
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      return header.isPacked ? header : nil
    } catch let error as FileError {
      throw error
    } catch {
      return nil
    }
  }

  private func begin(_ fold: SegmentFold, _ notes: inout [RecoveryNote]) throws(FileError) -> Position {
    let end = fold.projection.position
    var generations = fold.generations
    // Clients may have seen the records of the missing segments.
    let entry = GenerationHistory.Entry(generation: generations.current + 1, after: end)
    generations.entries.append(entry)
    let head = SegmentHead(fold.projection.checkpoint(), generations, options)
    _ = try directory.createWhole(SegmentName.of(end + 1)) { file throws(FileError) in try head.write(to: file) }
    notes.append(.newGeneration(entry.generation, after: end, .lostSegments))
    return end + 1
  }
}
