import ScrollModel

/// The recovery of the last segment, so that it can be written to. After a clean shutdown it marks the start; otherwise it
/// writes the good part of the segment to a new file.
struct SegmentRecovery {
  let directory: LogDirectory
  let options: LogOptions
  let segment: LastSegment

  /// Recovers the segment.
  ///
  /// - Returns: a writer for the segment, and the generations, including a new one if one began.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> (SegmentWriter, GenerationHistory) {
    if segment.isCleanlyStopped {
      let generations = generations(&notes)
      return (try resume(generations), generations)
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
      // From here on the copy has the segment's name, and the old file must not be written to, whatever fails.
      let file = try directory.openWhole(SegmentName.of(header.firstPosition))
      notes.append(.recovered(file: segment.path, through: last))
      try removeSnapshots()
      return (try writer(file, header, end: end, generations), generations)
    } catch {
      throw .file(error)
    }
  }

  /// Removes the snapshots of the old segment, which are no longer needed to find out how far it went. They must not come
  /// back, since the identifier may be the same.
  private func removeSnapshots() throws(FileError) {
    try directory.removeIfThere(directory.path(ofSnapshots: segment.header.firstPosition))
    try directory.fileSystem.syncDirectory(directory.logPath)
  }

  private var last: Position { segment.projection.position }

  /// Returns the generations, including a new one if one begins.
  private func generations(_ notes: inout [RecoveryNote]) -> GenerationHistory {
    var generations = segment.fold.generations
    guard let reason = generationReason else { return generations }
    let current = generations.current
    // Other copies, and missing segments, may have had generations of their own.
    let isUnknown = segment.fold.isCopy || segment.fold.isSealed
    let next = isUnknown ? GenerationHistory.generation(beyond: current, now: options.now()) : current + 1
    generations.entries.append(GenerationHistory.Entry(generation: next, after: last))
    notes.append(.newGeneration(next, after: last, reason))
    return generations
  }

  /// Why clients may have seen records that are lost; `nil` if no client can have.
  private var generationReason: RecoveryNote.GenerationReason? {
    if segment.fold.isCopy { return .restored }
    if let seen = segment.missing(options.seen) { return .lostSeen(through: seen) }
    // After a clean shutdown nothing else is missing.
    if segment.isCleanlyStopped { return nil }
    if segment.fold.isSealed { return .lostSegments }
    if segment.torn != nil { return .tornTail }
    if let through = lastPositionOfSnapshots, through > last { return .lostBlocks(through: through) }
    let wasSeenUnsynced = segment.fold.syncMode != SyncMode.commit.code && segment.fold.boot != options.boot
    return wasSeenUnsynced ? .unsynced : nil
  }

  /// The last position that the segment had according to its snapshots; `nil` if none can be read, which proves nothing.
  private var lastPositionOfSnapshots: Position? {
    let snapshots = try? SnapshotFile(
      directory, firstPosition: segment.header.firstPosition, identifier: segment.header.identifier)
    return snapshots?.last.place.position
  }

  private func resume(_ generations: GenerationHistory) throws(OpenError) -> SegmentWriter {
    let writer: SegmentWriter
    do throws(FileError) {
      // A repair writes the mark as well, and may have ended between renaming the file and this.
      try directory.fileSystem.syncDirectory(directory.logPath)
      let file = try directory.fileSystem.openForWriting(segment.path)
      writer = try self.writer(file, segment.header, end: segment.end, generations)
    } catch {
      throw .file(error)
    }
    writer.resume(segment.snapshots, segment.bodyCheck)
    do throws(WriteError) {
      try writer.start()
    } catch {
      throw .write(error)
    }
    return writer
  }

  /// Copies the good blocks to a new file that replaces the segment. It gets a new identifier, so that old blocks on the disk
  /// never pass for a part of it.
  ///
  /// - Returns: where the new file ends. Its name is not synced yet.
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

  /// Recovers the segment without space for a copy: writes all good bytes over themselves, so that the system writes and syncs
  /// them again whatever its page cache says, and cuts what follows them.
  ///
  /// The start mark with the new generation is synced before the tail is cut, because afterwards nothing would show that there
  /// was a tail. The identifier stays the same, so the tail has to be gone before anything is written in its place.
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

  /// Keeps bytes that will be cut. On a full disk, the space reserved after them makes room.
  private func keepOrMakeRoom(_ bytes: Range<Int64>) throws(FileError) -> String {
    do throws(FileError) {
      return try keep(bytes)
    } catch {
      guard error.isNoSpace else { throw error }
      try directory.fileSystem.openForWriting(segment.path).truncate(to: bytes.upperBound)
      return try keep(bytes)
    }
  }

  /// Copies bytes that will be cut to a file of their own.
  ///
  /// - Returns: the path of the file.
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
