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
    if segment.isCleanlyStopped {
      let generations = generations(&notes)
      return (try goOn(generations), generations)
    }
    do throws(FileError) {
      if let torn = segment.torn {
        let kept = try keepOrMakeRoom(torn.bytes)
        let damage = LogDamage(file: segment.path, offset: torn.bytes.lowerBound, reason: torn.reason)
        notes.append(.cutTornTail(damage, bytes: Int64(torn.bytes.count), after: last, kept: kept))
      }
      let generations = generations(&notes)
      let header = newHeader
      let end: Int64
      do throws(FileError) {
        end = try rewrite(header, generations)
      } catch {
        guard error.isNoSpace else { throw error }
        let writer = try rewriteInPlace(generations)
        notes.append(.recoveredInPlace(file: segment.path, through: last))
        try removeSnapshots()
        return (writer, generations)
      }
      // From here on the copy has the segment's name, and whatever fails, the old file is not to be written to.
      let file = try directory.openWhole(SegmentName.of(header.firstPosition))
      notes.append(.recovered(file: segment.path, through: last))
      try removeSnapshots()
      return (try writer(file, header, end: end, generations), generations)
    } catch {
      throw .file(error)
    }
  }

  /// Removes the snapshots beside the segment: they are of what stood there before, and not needed any more to tell how far that
  /// went. They must not come back, since the identifier may be the same.
  private func removeSnapshots() throws(FileError) {
    try directory.removeIfThere(directory.path(ofSnapshots: segment.header.firstPosition))
    try directory.fileSystem.syncDirectory(directory.logPath)
  }

  private var last: Position { segment.projection.position }

  /// The generations, with the one that begins, if one does.
  private func generations(_ notes: inout [RecoveryNote]) -> GenerationHistory {
    var generations = segment.fold.generations
    guard let reason = generationReason else { return generations }
    let current = generations.current
    let next = segment.fold.isCopy ? GenerationHistory.generation(beyond: current, now: options.now()) : current + 1
    generations.entries.append(GenerationHistory.Entry(generation: next, after: last))
    notes.append(.newGeneration(next, after: last, reason))
    return generations
  }

  /// Why somebody may have seen what is not there; `nil` when nobody can have.
  private var generationReason: RecoveryNote.GenerationReason? {
    if segment.fold.isCopy { return .restored }
    // After a stop in order nothing is missing.
    if segment.isCleanlyStopped { return nil }
    if segment.torn != nil { return .tornTail }
    if let through = lastPositionOfSnapshots, through > last { return .lostBlocks(through: through) }
    let wasSeenUnsynced = segment.fold.syncMode != SyncMode.commit.code && segment.fold.boot != options.boot
    return wasSeenUnsynced ? .unsynced : nil
  }

  /// How far the snapshots beside the segment say that it went; `nil` where none can be read, which tells nothing: a snapshot
  /// is derived.
  private var lastPositionOfSnapshots: Position? {
    let snapshots = try? SnapshotFile(
      directory, firstPosition: segment.header.firstPosition, identifier: segment.header.identifier)
    return snapshots?.last.place.position
  }

  private func goOn(_ generations: GenerationHistory) throws(OpenError) -> SegmentWriter {
    let writer: SegmentWriter
    do throws(FileError) {
      // A repair writes the mark, too, and may have ended between renaming the file and this.
      try directory.fileSystem.syncDirectory(directory.logPath)
      let file = try directory.fileSystem.openForWriting(segment.path)
      writer = try self.writer(file, segment.header, end: segment.end, generations)
    } catch {
      throw .file(error)
    }
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
  ///
  /// - Returns: where the new file ends, whose name is not synced yet.
  private func rewrite(_ header: SegmentHeader, _ generations: GenerationHistory) throws(FileError) -> Int64 {
    try directory.writeWhole(SegmentName.of(header.firstPosition)) { file throws(FileError) in
      try copy(to: file, header, generations)
    }
  }

  private var newHeader: SegmentHeader {
    var header = segment.header
    header.identifier = options.identifier()
    header.created = options.now()
    header.boot = options.boot
    header.syncMode = options.syncMode.code
    return header
  }

  /// Where there is no room for a copy: writes all good bytes over themselves, so that the system writes and syncs them again
  /// whatever it believes to have on the disk, and cuts what stands behind them.
  ///
  /// The start mark, which tells of a new generation, is synced before the tail goes: else nobody would know any more that there
  /// was one. The identifier stays, so the tail has to be gone before anything is written where it stood.
  private func rewriteInPlace(_ generations: GenerationHistory) throws(FileError) -> SegmentWriter {
    let file = try directory.fileSystem.openForWriting(segment.path)
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
    defer { window.deallocate() }
    var offset: Int64 = 0
    while offset < segment.end {
      let part = UnsafeMutableRawBufferPointer(rebasing: window[..<Int(min(Int64(window.count), segment.end - offset))])
      guard try file.read(at: offset, into: part) == part.count else {
        throw FileError(.read, path: file.path, code: .inputOutput)
      }
      try file.write(UnsafeRawBufferPointer(part), at: offset)
      offset += Int64(part.count)
    }
    var mark = ByteWriter(capacity: 128)
    let header = BlockHeader(
      payloadLength: 0, kind: .start, recordCount: 0, firstPosition: last + 1, received: segment.projection.received,
      syncedTo: last, syncedOffset: segment.end)
    FramedBlock.append(header, identifier: segment.header.identifier, to: &mark) { writer in
      startMark(generations).encode(into: &writer)
    }
    try mark.bytes.withBytes(0, mark.count) { (bytes) throws(FileError) in try file.write(bytes, at: segment.end) }
    try file.sync()
    let end = segment.end + Int64(mark.count)
    if segment.torn != nil {
      try file.truncate(to: end)
      try file.sync()
    }
    return try writer(file, segment.header, end: end, generations)
  }

  private func startMark(_ generations: GenerationHistory) -> StartMark {
    StartMark(generation: generations.current, boot: options.boot, syncMode: options.syncMode.code)
  }

  /// Writes header, good blocks and a start mark.
  private func copy(
    to file: any File, _ header: SegmentHeader, _ generations: GenerationHistory
  ) throws(FileError) -> Int64 {
    var copy = SegmentCopy(to: file, header)
    try copy.append(
      Int64(SegmentHeader.size)..<segment.end, of: segment.file, identifier: segment.header.identifier)
    copy.append(startMark(generations), after: last, received: segment.projection.received)
    let end = try copy.finish()
    _ = try file.preallocate(from: end, count: SegmentHead.reserveForMarks)
    return end
  }

  /// Keeps bytes that will be cut. On a full disk, what is reserved behind them makes room.
  private func keepOrMakeRoom(_ bytes: Range<Int64>) throws(FileError) -> String {
    do throws(FileError) {
      return try keep(bytes)
    } catch {
      guard error.isNoSpace else { throw error }
      try directory.fileSystem.openForWriting(segment.path).truncate(to: bytes.upperBound)
      return try keep(bytes)
    }
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
  ) throws(FileError) -> SegmentWriter {
    SegmentWriter(
      directory, options, generations, file: file, header: header, end: end, fileEnd: try file.size(), written: last,
      received: segment.projection.received)
  }
}
