// Makes the last segment fit to be written to.

import ScrollModel

/// Makes the last segment fit to be written to: marks the start where the last stop was in order, else writes its good
/// part to a new file.
struct SegmentRecovery {
  let directory: LogDirectory
  let options: LogOptions
  let segment: LastSegment

  /// Recovers the segment.
  ///
  /// - Returns: what goes on writing to it, and the generations with the one that began, if one did.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> (SegmentWriter, GenerationHistory) {
    if segment.isCleanlyStopped { return (try goOn(), segment.fold.generations) }
    do throws(FileError) {
      // They are of the segment's old identifier.
      try directory.removeIfThere(directory.path(of: SegmentName.snapshots(segment.header.firstPosition)))
      if let torn = segment.torn {
        let kept = try keep(torn.bytes)
        let damage = LogDamage(file: segment.path, offset: torn.bytes.lowerBound, reason: torn.reason)
        notes.append(.cutTornTail(damage, bytes: Int64(torn.bytes.count), after: last, kept: kept))
      }
      var generations = segment.fold.generations
      if let reason = generationReason {
        let entry = GenerationHistory.Entry(generation: generations.current + 1, after: last)
        generations.entries.append(entry)
        notes.append(.newGeneration(entry.generation, after: last, reason))
      }
      let writer = try rewrite(generations)
      notes.append(.recovered(file: segment.path, through: last))
      return (writer, generations)
    } catch {
      throw .file(error)
    }
  }

  private var last: Position { segment.projection.position }

  /// Why somebody may have seen what is no longer there; `nil` when nobody can have.
  private var generationReason: RecoveryNote.GenerationReason? {
    if segment.torn != nil { return .tornTail }
    let wasSeenUnsynced = segment.fold.syncMode != SyncMode.commit.code && segment.fold.boot != options.boot
    return wasSeenUnsynced ? .unsynced : nil
  }

  private func goOn() throws(OpenError) -> SegmentWriter {
    let file: any File
    do throws(FileError) {
      file = try directory.fileSystem.openForWriting(segment.path)
    } catch {
      throw .file(error)
    }
    let writer = writer(file, segment.header, end: segment.end, segment.fold.generations)
    writer.goOn(behind: segment.snapshots, segment.bodyCheck)
    do throws(WriteError) {
      try writer.start()
    } catch {
      throw .write(error)
    }
    return writer
  }

  /// Copies the good blocks into a new file that takes the segment's place, under a new identifier, so that nothing that
  /// stands on the disk from before can ever pass for a part of it.
  private func rewrite(_ generations: GenerationHistory) throws(FileError) -> SegmentWriter {
    var header = segment.header
    header.identifier = options.identifier()
    header.created = options.now()
    header.boot = options.boot
    header.syncMode = options.syncMode.code
    let (file, end) = try directory.createWhole(SegmentName.of(header.firstPosition)) { file throws(FileError) in
      try copy(to: file, header, generations)
    }
    return writer(file, header, end: end, generations)
  }

  /// Writes header, good blocks and a start mark.
  private func copy(
    to file: any File, _ header: SegmentHeader, _ generations: GenerationHistory
  ) throws(FileError) -> Int64 {
    var copy = SegmentCopy(to: file, header)
    try copy.append(
      Int64(SegmentHeader.size)..<segment.end, of: segment.file, identifier: segment.header.identifier)
    let mark = StartMark(generation: generations.current, boot: options.boot, syncMode: options.syncMode.code)
    copy.append(mark, after: last, received: segment.projection.received)
    return try copy.finish()
  }

  /// Keeps bytes that will be cut in a file of their own.
  ///
  /// - Returns: the file's path.
  private func keep(_ bytes: Range<Int64>) throws(FileError) -> String {
    let kept = KeptBytes(directory: directory, suffix: SegmentName.tornSuffix, position: last, time: options.now())
    let name = try kept.freeName()
    try kept.keep(bytes, of: segment.file, as: name)
    return directory.path(of: name)
  }

  private func writer(
    _ file: any File, _ header: SegmentHeader, end: Int64, _ generations: GenerationHistory
  ) -> SegmentWriter {
    SegmentWriter(
      directory, options, generations, file: file, header: header, end: end, written: last,
      received: segment.projection.received)
  }
}
