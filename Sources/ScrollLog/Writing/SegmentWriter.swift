import ScrollModel

/// The writer of the last segment. It appends blocks, syncs, and begins new segments. Its methods wait for the disk, so
/// ``CommitRunner`` decides for each job whether the loop runs it, or a thread of its own.
///
/// After a failed write or sync it refuses everything: data in the page cache may look written and still be lost. A full
/// disk is the exception, as long as the file could be cut back to its previous end.
///
/// Unchecked: only one thread at a time uses it: the commit thread while it has a job, and otherwise the one that opened the log.
public final class SegmentWriter: @unchecked Sendable {
  private let directory: LogDirectory
  private let options: LogOptions
  private let generations: GenerationHistory
  private var header: SegmentHeader
  private var file: SegmentFile
  private var written: Position
  private var synced: Position
  private var received: Int64
  private var failure: FileError?
  /// The size of the segment that was sealed last.
  private var sealedBytes: Int64 = 0
  private var snapshots: SnapshotWriter
  /// The check of the part of the segment that the start did not read.
  private var bodyCheck: BodyCheck?
  /// How many bytes one job checks.
  private static let checkPiece: Int64 = 1 << 20

  /// When the next sync is due, by the monotonic clock of the options; `nil` when none is due.
  public private(set) var syncDue: Int64?

  /// Creates a writer that continues a segment, all of which is synced.
  ///
  /// - Parameters:
  ///   - end: where the last block ends.
  ///   - fileEnd: where the file ends, including reserved space.
  init(
    _ directory: LogDirectory, _ options: LogOptions, _ generations: GenerationHistory, file: any File,
    header: SegmentHeader, end: Int64, fileEnd: Int64, written: Position, received: Int64
  ) {
    self.directory = directory
    self.options = options
    self.generations = generations
    self.header = header
    self.file = SegmentFile(
      file, of: directory.fileSystem, end: end, allocatedEnd: fileEnd, preallocation: options.preallocation)
    self.written = written
    self.received = received
    synced = written
    snapshots = SnapshotWriter(directory, header)
  }

  /// Continues the snapshots that a start has used, and the check that it has left unfinished.
  func resume(_ found: SnapshotFile?, _ check: BodyCheck?) {
    bodyCheck = check
    guard let found else { return }
    do throws(FileError) {
      snapshots = try SnapshotWriter(directory, header, after: found)
    } catch {
      // Then the next snapshot starts a new file.
    }
  }

  /// The current time by the clock of ``syncDue``.
  var monotonicNow: Int64 { options.monotonic() }

  /// Whether a block is synced as soon as it is written.
  var syncsEachBlock: Bool { options.syncMode == .commit }

  /// Whether a block can be written without asking the file system for space.
  func hasSpaceReserved(for block: Block) -> Bool {
    file.hasSpaceReserved(Int64(block.byteCount) + SegmentHead.reserveForMarks)
  }

  /// How much has been written and synced.
  public var status: WriterStatus {
    WriterStatus(
      identifier: header.identifier, segment: header.firstPosition, segmentBytes: file.end,
      sealedBytes: sealedBytes,
      reservedBytes: file.reservedBytes + snapshots.end, snapshotBytes: snapshots.end,
      isUnchecked: bodyCheck != nil, written: written, synced: synced)
  }

  /// Does a job.
  ///
  /// - Returns: the status after the job, or why the job was not done.
  public func perform(_ job: CommitJob) -> CommitResult {
    let began = options.monotonic()
    var place: SnapshotPlace?
    do throws(WriteError) {
      switch job {
      case .write(let block): try write(block)
      case .roll(let checkpoint): try roll(checkpoint)
      case .snapshot(let snapshot): place = try write(snapshot)
      case .check: try check()
      case .sync: try sync()
      case .noop: break
      case .stop: try stop()
      }
      return CommitResult(
        job: job, outcome: .success(status), snapshot: place, duration: options.monotonic() - began)
    } catch {
      return CommitResult(job: job, outcome: .failure(error), duration: options.monotonic() - began)
    }
  }

  /// Appends a block and, with ``SyncMode/commit``, syncs it.
  ///
  /// - Throws: ``WriteError``. After ``WriteError/noSpace(_:)`` the block can be written again, or another one that begins
  ///   at the same position.
  public func write(_ block: Block) throws(WriteError) {
    try checkUsable()
    guard block.firstPosition == written + 1 else { throw .outOfOrder(expected: written + 1) }
    let framed = BlockHeader(
      payloadLength: block.payloadLength, kind: .records, recordCount: block.recordCount,
      firstPosition: block.firstPosition, received: block.received, syncedTo: synced, syncedOffset: file.syncedOffset)
    framed.seal(block.bytes, at: 0, identifier: header.identifier)
    try recordingFailure { () throws(WriteError) in
      try file.append(block.bytes, framed.length, keeping: SegmentHead.reserveForMarks)
    }
    if options.syncMode != .commit {
      try recordingFailure { () throws(WriteError) in try file.check(at: options.monotonic()) }
    }
    written = block.lastPosition
    received = block.received
    switch options.syncMode {
    case .commit: try sync()
    case .interval(let microseconds): syncDue = syncDue ?? options.monotonic() + microseconds
    case .never: break
    }
  }

  /// Makes everything written so far survive a power loss.
  public func sync() throws(WriteError) {
    try checkUsable()
    syncDue = nil
    guard file.needsSync else { return }
    try recordingFailure { () throws(WriteError) in try file.sync() }
    synced = written
  }

  /// Seals the segment and begins the next one with a checkpoint.
  ///
  /// - Throws: ``WriteError``. After ``WriteError/noSpace(_:)`` the writer continues the old segment.
  public func roll(_ checkpoint: Checkpoint) throws(WriteError) {
    try checkUsable()
    guard checkpoint.position == written, written >= header.firstPosition else {
      throw .outOfOrder(expected: written + 1)
    }
    try begin(with: checkpoint)
  }

  /// Begins a segment with a checkpoint of everything written so far, replacing a segment without records.
  ///
  /// - Throws: the same errors as ``roll(_:)``.
  func begin(with checkpoint: Checkpoint) throws(WriteError) {
    try sync()
    let head = SegmentHead(checkpoint, generations, options)
    let name = SegmentName.of(head.header.firstPosition)
    let nextEnd: Int64
    do {
      nextEnd = try directory.writeWhole(name) { file throws(FileError) in try head.write(to: file) }
    } catch {
      if error.isNoSpace { throw .noSpace(error) }
      throw fail(error)
    }
    let next: any File
    do {
      // From here on nothing may be appended to the old segment, whatever fails: the new one begins at the next position.
      next = try directory.openWhole(name)
    } catch {
      throw fail(error)
    }
    // If the new segment replaces one without records, the old file has no name.
    if head.header.firstPosition != header.firstPosition { try seal(before: head.header.firstPosition) }
    sealedBytes = file.end
    file = file.next(next, end: nextEnd)
    header = head.header
    snapshots = SnapshotWriter(directory, header)
    // Readers check the rest of the sealed segment.
    bodyCheck = nil
  }

  /// Ends the file with the mark that another segment follows, so that a log without that one is recognised.
  private func seal(before nextSegment: Position) throws(WriteError) {
    var writer = ByteWriter(capacity: SegmentSeal.blockSize)
    SegmentSeal(nextSegment: nextSegment).append(
      after: written, received: received, end: file.syncedOffset, identifier: header.identifier, to: &writer)
    let (bytes, count) = (writer.bytes, writer.count)
    do throws(WriteError) {
      try recordingFailure { () throws(WriteError) in
        try file.append(bytes, count)
        // Frees the space that was reserved and never used.
        try file.freeReserve(keeping: 0)
        try file.sync()
      }
    } catch {
      guard case .noSpace = error else { throw error }
      // The next segment has begun, so this one is complete without the mark. The next start writes it. A part of it was cut
      // off, and must not come back after a power loss.
      try recordingFailure { () throws(WriteError) in
        try file.freeReserve(keeping: 0)
        try file.sync()
      }
    }
  }

  /// Appends a snapshot without syncing it, since nothing depends on it.
  ///
  /// - Throws: ``WriteError/noSnapshot(_:)`` when it could not be written.
  public func write(_ snapshot: Snapshot) throws(WriteError) -> SnapshotPlace {
    try checkUsable()
    guard snapshot.checkpoint.position == written, written >= header.firstPosition else {
      throw .outOfOrder(expected: written + 1)
    }
    do throws(FileError) {
      return try snapshots.append(snapshot, generations, segmentOffset: file.end, syncedTo: synced)
    } catch {
      throw .noSnapshot(error)
    }
  }

  /// Checks the next part of the segment that the start did not read.
  ///
  /// - Throws: ``WriteError/badSegment(_:)``.
  public func check() throws(WriteError) {
    do throws(ReadError) {
      if try bodyCheck?.advance(Self.checkPiece) == true { bodyCheck = nil }
    } catch {
      throw .badSegment(error)
    }
  }

  /// Marks a clean shutdown in the log, so that the next start needs no recovery.
  public func stop() throws(WriteError) {
    // The mark says that everything before it is synced.
    try sync()
    do throws(FileError) {
      try snapshots.sync()
    } catch {
      // Their checksums will show which of them reached the disk.
    }
    let end = file.end
    try appendMark(nil)
    do throws(WriteError) {
      // A start looks for the mark near the end of the file.
      try recordingFailure { () throws(WriteError) in try file.freeReserve(keeping: SegmentHead.reserveForMarks) }
      try sync()
    } catch {
      // The next start must not find a mark in the page cache that never reached the disk.
      try recordingFailure { () throws(WriteError) in try file.cut(to: end) }
      throw error
    }
  }

  /// Marks in the log that a daemon begins to write to it.
  func start() throws(WriteError) {
    try appendMark(
      StartMark(generation: generations.current, boot: options.boot, syncMode: options.syncMode.code))
    try sync()
  }

  /// Appends a start mark; `nil` means the mark of a clean shutdown.
  private func appendMark(_ mark: StartMark?) throws(WriteError) {
    var writer = ByteWriter(capacity: 128)
    let framed = BlockHeader(
      payloadLength: 0, kind: mark == nil ? .cleanStop : .start, recordCount: 0, firstPosition: written + 1,
      received: received, syncedTo: synced, syncedOffset: file.syncedOffset)
    FramedBlock.append(framed, identifier: header.identifier, to: &writer) { mark?.encode(into: &$0) }
    let (bytes, count) = (writer.bytes, writer.count)
    try recordingFailure { () throws(WriteError) in try file.append(bytes, count) }
  }

  private func checkUsable() throws(WriteError) {
    if let failure { throw .failed(failure) }
  }

  /// Runs a body, and refuses everything later if it fails for good.
  private func recordingFailure(_ body: () throws(WriteError) -> Void) throws(WriteError) {
    do throws(WriteError) {
      try body()
    } catch {
      if case .failed(let cause) = error { throw fail(cause) }
      throw error
    }
  }

  private func fail(_ error: FileError) -> WriteError {
    failure = error
    syncDue = nil
    return .failed(error)
  }
}
