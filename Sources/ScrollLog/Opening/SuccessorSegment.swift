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
  /// - Throws: ``OpenError/damaged(_:)`` when damage hides which sessions are open; ``OpenError/file(_:)``.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> Position? {
    guard let fold = try fold() else { return nil }
    do throws(FileError) {
      let generation = try begin(fold, after: fold.projection.position)
      notes.append(.newGeneration(generation, after: fold.projection.position, .lostSegments))
    } catch {
      throw .file(error)
    }
    return fold.projection.position + 1
  }

  /// Returns whether a start creates the segment.
  ///
  /// - Throws: the same errors as ``run(_:)``.
  func isNeeded() throws(OpenError) -> Bool { try fold() != nil }

  /// Returns the fold at the end of the last segment; `nil` if the segment is not sealed.
  private func fold() throws(OpenError) -> SegmentFold? {
    try reading { () throws in
      let path = directory.path(ofSegment: last)
      let file = try directory.fileSystem.openForReading(path)
      guard let header = try sealedHeader(of: file) else { return nil }
      if header.isPacked {
        let packed = try PackedSegmentFold(file, header)
        if packed.isExact { return packed.fold }
        throw packed.damage ?? LogDamage(file: path, offset: 0, reason: "position \(packed.end - 1) is missing")
      }
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: last)
      var fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
      var blocks = SegmentBlocks(scanner, isPacked: false)
      try blocks.readAll(of: last..<(.max)) { try fold.take($0, $1) }
      guard fold.isSealed else {
        throw LogDamage(file: path, offset: blocks.offset, reason: "the seal at the end is out of place")
      }
      return fold
    }
  }

  private func reading<Value>(_ body: () throws -> Value) throws(OpenError) -> Value {
    do {
      return try body()
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      throw .damaged(LogDamage(file: directory.path(ofSegment: last), offset: 0, reason: "\(error)"))
    }
  }

  /// Reads the header of a segment; returns `nil` if the segment is not sealed, or if the header is bad.
  private func sealedHeader(of file: any File) throws(FileError) -> SegmentHeader? {
    do {
      let header = try SegmentReading.header(of: file, firstPosition: last)
      if header.isPacked { return header }
      return try SegmentSeal.find(in: file, header) == nil ? nil : header
    } catch let error as FileError {
      throw error
    } catch {
      return nil
    }
  }

  /// Creates the segment.
  ///
  /// - Parameters:
  ///   - fold: the fold up to the end of the last segment, or as far as it is known.
  ///   - isDryRun: whether only to return what would be.
  /// - Returns: the generation that begins.
  func begin(_ fold: SegmentFold, after end: Position, isDryRun: Bool = false) throws(FileError) -> Generation {
    var checkpoint = fold.projection.checkpoint()
    checkpoint.position = end
    var generations = fold.generations
    // Clients may have seen the records of the missing segments, which may have had generations of their own.
    let next = GenerationHistory.generation(beyond: generations.current, now: options.now())
    if isDryRun { return next }
    generations.entries.append(GenerationHistory.Entry(generation: next, after: end))
    let head = SegmentHead(checkpoint, generations, options)
    _ = try directory.createWhole(SegmentName.of(end + 1)) { file throws(FileError) in try head.write(to: file) }
    return next
  }
}
