import ScrollModel

/// The start of a new segment when the last one is sealed and so must not be written to. The newer segments are missing,
/// since a segment is sealed only after the next one was begun.
struct SuccessorSegment {
  let directory: LogDirectory
  let options: LogOptions
  /// The first position of the last segment.
  let last: Position

  /// Creates the segment if it is needed.
  ///
  /// - Returns: its first position; `nil` if the last segment can be written to.
  /// - Throws: ``OpenError/damaged(_:)`` when records of the sealed segment cannot be read; ``OpenError/file(_:)``.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> Position? {
    let path = directory.path(ofSegment: last)
    do {
      let file = try directory.fileSystem.openForReading(path)
      guard let header = try Self.sealedHeader(of: file, firstPosition: last) else { return nil }
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: last)
      var fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
      // A bad index does no harm here, since all blocks are read. But if nothing shows where the positions end, bad bytes may
      // have held records.
      let end = header.isPacked ? try PackedSegment.recordedEnd(scanner) ?? .max : .max
      var blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
      try blocks.readAll(of: last..<end) { try fold.take($0, $1) }
      guard header.isPacked || fold.isSealed else {
        throw LogDamage(file: path, offset: blocks.offset, reason: "the seal at the end is out of place")
      }
      return try begin(fold, &notes)
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      throw .damaged(LogDamage(file: path, offset: 0, reason: "\(error)"))
    }
  }

  /// Reads the header of a segment; returns `nil` if the segment is not sealed, or if the header is bad.
  static func sealedHeader(of file: any File, firstPosition: Position) throws(FileError) -> SegmentHeader? {
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      if header.isPacked { return header }
      return try SegmentSeal.find(in: file, header) == nil ? nil : header
    } catch let error as FileError {
      throw error
    } catch {
      return nil
    }
  }

  private func begin(_ fold: SegmentFold, _ notes: inout [RecoveryNote]) throws(FileError) -> Position {
    let end = fold.projection.position
    var generations = fold.generations
    // Clients may have seen the records of the missing segments, which may have had generations of their own.
    let next = GenerationHistory.generation(beyond: generations.current, now: options.now())
    let entry = GenerationHistory.Entry(generation: next, after: end)
    generations.entries.append(entry)
    let head = SegmentHead(fold.projection.checkpoint(), generations, options)
    _ = try directory.createWhole(SegmentName.of(end + 1)) { file throws(FileError) in try head.write(to: file) }
    notes.append(.newGeneration(entry.generation, after: end, .lostSegments))
    return end + 1
  }
}
