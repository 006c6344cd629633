import ScrollModel

/// The event log of a state directory.
///
///     let opened = try EventLog.open(
///       directory: "/var/lib/scrolld", fileSystem: POSIXFileSystem(), options: LogOptions(syncMode: .commit, boot: boot))
///     for note in opened.notes { print(note) }
public enum EventLog {
  /// Opens a log for writing, and creates it if it does not exist.
  ///
  /// Recovery trusts nothing but checksums. After an unclean shutdown it writes the good part of the last segment to a new
  /// file, syncs it, and replaces the old file with it before anything is served, since the page cache may hold data that
  /// a failed sync has lost. Bad bytes after the last position known to be synced are cut, and kept beside the segment.
  ///
  /// - Throws: ``OpenError``. After ``OpenError/damaged(_:)`` nothing has changed, except that incomplete files are removed.
  public static func open(
    directory path: String, fileSystem: any FileSystem, options: LogOptions
  ) throws(OpenError) -> OpenedLog {
    let directory = LogDirectory(path: path, fileSystem: fileSystem)
    try reporting { () throws(FileError) in try makeDirectories(directory) }
    let lock = try LogLock(directory)
    let begun = options.monotonic()
    var notes: [RecoveryNote] = []
    var positions = try reporting { () throws(FileError) in
      try RepairCompletion(directory: directory).run()
      for file in try directory.removeUnfinished() { notes.append(.removedUnfinished(file: file)) }
      let positions = try directory.segments()
      // No start begins with a sealed segment.
      try directory.removeSnapshots(except: positions.last)
      return positions
    }
    guard var last = positions.last else {
      return try begin(directory, options, lock, notes)
    }
    let successor = SuccessorSegment(directory: directory, options: options, last: last)
    if let next = try successor.run(&notes) {
      positions.append(next)
      last = next
    }
    var (closed, sealed) = try readSealed(directory, positions.dropLast(), last, &notes)
    var (segment, report) = try readLast(directory, last, options)
    try SegmentKinship(directory: directory, last: last, generations: segment.fold.generations).check(sealed)
    closed.append(segment.fold.closedSessions)
    let recovery = SegmentRecovery(directory: directory, options: options, segment: segment)
    let (writer, generations) = try recovery.run(&notes)
    // A seal says that another segment follows, so it must not be on the disk before that segment's name. The recovery has
    // synced all names.
    for (first, next) in zip(positions, positions.dropFirst()) where sealed[first]?.isPacked == false {
      let completion = SealCompletion(directory: directory, firstPosition: first, nextSegment: next)
      if let size = try reporting({ () throws(FileError) in try completion.run() }) { sealed[first]?.bytes = size }
    }
    let setAside = try reporting { () throws(FileError) in try directory.setAside() }
    let segments = SegmentList(
      directory, positions, sealed: sealed, setAside: SetAsideFiles(setAside), since: segment.fold.firstReceived)
    segments.foldVersion = options.foldVersion
    segments.map(last, as: map(of: segment, writer.status))
    if segment.foldVersion != options.foldVersion { try upgrade(segment, writer, segments, &notes) }
    report.count(notes)
    if !segment.isCleanlyStopped { report.recordsRecovered = segment.projection.position - last + 1 }
    report.duration = options.monotonic() - begun
    return OpenedLog(
      writer: writer, upkeep: Upkeep(directory: directory, options: options), segments: segments,
      projection: segment.projection, closedSessions: closed.all,
      generations: generations, notes: notes, report: report, lock: lock)
  }

  /// Where blocks and snapshots are in the segment that the writer continues.
  private static func map(of segment: LastSegment, _ status: WriterStatus) -> SegmentMap {
    SegmentMap(
      identifier: status.identifier, index: segment.index, closedSessions: segment.fold.closedSessions,
      // A writer without snapshots starts a new file of them.
      status.snapshotBytes > 0 ? segment.snapshots : nil)
  }

  /// Begins a segment for a new version of the fold, so that the previous states remain those of the previous version.
  private static func upgrade(
    _ segment: LastSegment, _ writer: SegmentWriter, _ segments: SegmentList, _ notes: inout [RecoveryNote]
  ) throws(OpenError) {
    let projection = segment.projection
    let known = segment.snapshots?.last.place.position ?? (segment.header.firstPosition - 1)
    notes.append(
      known == projection.position
        ? .otherFold(version: segment.foldVersion) : .refolded(version: segment.foldVersion, from: known + 1))
    let before = writer.status
    do throws(WriteError) {
      try writer.begin(with: projection.checkpoint())
    } catch {
      guard case .noSpace = error else { throw .write(error) }
      notes.append(.otherFoldContinues(error))
      return
    }
    segments.add(
      writer.status,
      sealing: SealedSegment(
        bytes: writer.status.sealedBytes, snapshotBytes: before.snapshotBytes, lastReceived: projection.received))
  }

  /// Reads the last segment from its last snapshot, or all of it when the snapshot cannot be used.
  private static func readLast(
    _ directory: LogDirectory, _ last: Position, _ options: LogOptions
  ) throws(OpenError) -> (LastSegment, StartReport) {
    let segment: LastSegment
    var reason = ""
    do {
      segment = try LastSegment(directory, firstPosition: last, fromSnapshot: options)
    } catch {
      reason = "\(error)"
      segment = try LastSegment(directory, firstPosition: last, foldVersion: options.foldVersion, seen: options.seen)
    }
    var report = StartReport(segment.snapshots.map { .snapshot($0.last.place) } ?? .scan(reason: reason))
    report.blocksRead = Int64(segment.blocksRead)
    report.bytesRead = segment.bytesRead
    return (segment, report)
  }

  private static func makeDirectories(_ directory: LogDirectory) throws(FileError) {
    _ = try directory.fileSystem.makeDirectory(directory.path)
    _ = try directory.fileSystem.makeDirectory(directory.logPath)
  }

  /// Makes the directories' own names survive a power loss before anything is in them.
  ///
  /// Even if they existed before: an earlier start may have ended between making and syncing them.
  private static func syncDirectories(_ directory: LogDirectory) throws(FileError) {
    do {
      try directory.fileSystem.syncDirectory(directory.parentPath)
    } catch {
      // Without access to the parent, this process cannot have created the directory, and its creator has to sync it.
      if error.code != .permissionDenied { throw error }
    }
    try directory.fileSystem.syncDirectory(directory.path)
  }

  private static func begin(
    _ directory: LogDirectory, _ options: LogOptions, _ lock: LogLock, _ notes: [RecoveryNote]
  ) throws(OpenError) -> OpenedLog {
    var empty = Checkpoint.empty
    empty.foldVersion = options.foldVersion
    let head = SegmentHead(empty, GenerationHistory(first: options.firstGeneration), options)
    let (file, end, fileEnd) = try reporting { () throws(FileError) in
      try syncDirectories(directory)
      let (file, end) = try directory.createWhole(SegmentName.of(1)) { file throws(FileError) in
        try head.write(to: file)
      }
      return (file, end, try file.size())
    }
    let writer = SegmentWriter(
      directory, options, head.generations, file: file, header: head.header, end: end, fileEnd: fileEnd, written: 0,
      received: 0)
    let segments = SegmentList(directory, [1])
    segments.foldVersion = options.foldVersion
    segments.map(writer.status)
    return OpenedLog(
      writer: writer, upkeep: Upkeep(directory: directory, options: options), segments: segments,
      projection: Projection(.empty, foldVersion: options.foldVersion),
      closedSessions: [:], generations: head.generations, notes: notes + [.begun(directory: directory.path)],
      report: StartReport(.newLog), lock: lock)
  }

  /// Reads from the sealed segments which sessions were closed, and what retention needs. Of a packed segment only the index
  /// is read. Damage is noted, not thrown.
  private static func readSealed(
    _ directory: LogDirectory, _ sealed: ArraySlice<Position>, _ last: Position, _ notes: inout [RecoveryNote]
  ) throws(OpenError) -> (closed: ClosedSessionIDs, sealed: [Position: SealedSegment]) {
    var found: [Position: SealedSegment] = [:]
    var parts: [ClosedSessionIDs] = []
    var all: [[RecoveryNote]] = []
    var count = 0
    // The newest first, since only so many sessions are remembered.
    for (first, next) in zip(sealed, sealed.dropFirst() + [last]).reversed() {
      let reading = SealedReading(directory: directory, firstPosition: first, nextPosition: next)
      var closed = count < ClosedSessionIDs.startLimit ? ClosedSessionIDs.ofStart : nil
      var noted: [RecoveryNote] = []
      found[first] = try reporting { () throws(FileError) in try reading.run(&closed, &noted) }
      all.append(noted)
      if let closed {
        count += closed.count
        parts.append(closed)
      }
    }
    for noted in all.reversed() { notes += noted }
    var closed = ClosedSessionIDs.ofStart
    for part in parts.reversed() { closed.append(part) }
    return (closed, found)
  }

  /// Performs file operations whose errors end the opening.
  private static func reporting<Value>(_ body: () throws(FileError) -> Value) throws(OpenError) -> Value {
    do {
      return try body()
    } catch {
      throw .file(error)
    }
  }
}
