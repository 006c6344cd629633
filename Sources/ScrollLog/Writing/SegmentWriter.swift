import ScrollModel

/// Appends blocks to the last segment, syncs, and begins new segments. It waits for the disk; ``CommitThread`` runs it
/// aside from the loop.
///
/// After a write or a sync that failed it does nothing any more: what the failed sync left in the page cache may look
/// written and be lost. A full disk is the exception while nothing was taken back: the file ends as it ended before.
///
/// Unchecked: it is used by one thread at a time, at first by whoever opened the log, then by the commit thread alone.
public final class SegmentWriter: @unchecked Sendable {
  private let directory: LogDirectory
  private let options: LogOptions
  private let generations: GenerationHistory
  private var file: any File
  private var header: SegmentHeader
  /// Where the next block goes.
  private var end: Int64
  /// Up to where space is reserved; `nil` when the file system cannot do that.
  private var allocatedEnd: Int64?
  private var syncedOffset: Int64
  /// Whether a part of a block that found no space was cut off since the last sync.
  private var hasUnsyncedCut = false
  private var written: Position
  private var synced: Position
  private var received: Int64
  private var failure: FileError?
  private var snapshots: SnapshotWriter
  /// What is left to check of the segment.
  private var bodyCheck: BodyCheck?
  /// How many bytes are checked in one go.
  private static let checkPiece: Int64 = 1 << 20

  /// When the next sync is due, by the options' monotonic clock; `nil` when none is.
  public private(set) var syncDue: Int64?

  /// A writer that goes on where a segment ends, all of which is synced.
  ///
  /// - Parameters:
  ///   - end: where its last block ends.
  ///   - fileEnd: where the file ends, which is what is reserved.
  init(
    _ directory: LogDirectory, _ options: LogOptions, _ generations: GenerationHistory, file: any File,
    header: SegmentHeader, end: Int64, fileEnd: Int64, written: Position, received: Int64
  ) {
    self.directory = directory
    self.options = options
    self.generations = generations
    self.file = file
    self.header = header
    self.end = end
    self.written = written
    self.received = received
    allocatedEnd = fileEnd
    syncedOffset = end
    synced = written
    snapshots = SnapshotWriter(directory, header)
  }

  /// Goes on where a start went by the snapshots that there are.
  func goOn(behind found: SnapshotFile?, _ check: BodyCheck?) {
    bodyCheck = check
    guard let found else { return }
    do throws(FileError) {
      snapshots = try SnapshotWriter(directory, header, after: found)
    } catch {
      // Then they are begun anew.
    }
  }

  /// The present by the clock of ``syncDue``.
  var monotonicNow: Int64 { options.monotonic() }

  /// How far the writer has come.
  public var status: WriterStatus {
    WriterStatus(
      identifier: header.identifier, segment: header.firstPosition, segmentBytes: end,
      reservedBytes: max(end, allocatedEnd ?? end) + snapshots.end, snapshotBytes: snapshots.end,
      isUnchecked: bodyCheck != nil, written: written, synced: synced)
  }

  /// Does a job.
  ///
  /// - Returns: how far the writer has come then, or why the job was not done.
  public func perform(_ job: CommitJob) -> CommitResult {
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
      return CommitResult(job: job, outcome: .success(status), snapshot: place)
    } catch {
      return CommitResult(job: job, outcome: .failure(error))
    }
  }

  /// Appends a block and, with ``SyncMode/commit``, syncs it.
  ///
  /// - Throws: ``WriteError``. After ``WriteError/noSpace(_:)`` the block can be given again, or another one that begins
  ///   at the same position.
  public func write(_ block: Block) throws(WriteError) {
    try checkUsable()
    guard block.firstPosition == written + 1 else { throw .outOfOrder(expected: written + 1) }
    let framed = BlockHeader(
      payloadLength: block.payloadLength, kind: .records, recordCount: block.recordCount,
      firstPosition: block.firstPosition, received: block.received, syncedTo: synced, syncedOffset: syncedOffset)
    framed.seal(block.bytes, at: 0, identifier: header.identifier)
    try append(block.bytes, framed.length, keeping: SegmentHead.reserveForMarks)
    written = block.lastPosition
    received = block.received
    switch options.syncMode {
    case .commit: try sync()
    case .interval(let microseconds): syncDue = syncDue ?? options.monotonic() + microseconds
    case .never: break
    }
  }

  /// Makes all that was written survive a power loss.
  public func sync() throws(WriteError) {
    try checkUsable()
    syncDue = nil
    guard syncedOffset < end || hasUnsyncedCut else { return }
    do {
      try file.sync()
    } catch {
      throw fail(error)
    }
    syncedOffset = end
    synced = written
    hasUnsyncedCut = false
  }

  /// Seals the segment and begins the next one with a checkpoint.
  ///
  /// - Throws: ``WriteError``. After ``WriteError/noSpace(_:)`` the old segment goes on.
  public func roll(_ checkpoint: Checkpoint) throws(WriteError) {
    try checkUsable()
    guard checkpoint.position == written, written >= header.firstPosition else {
      throw .outOfOrder(expected: written + 1)
    }
    try begin(with: checkpoint)
  }

  /// Begins a segment with a checkpoint of all that was written. A segment without records is written anew.
  ///
  /// - Throws: as ``roll(_:)``.
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
      // From here on the old segment must not go on, whatever the error: the new one begins at the next position.
      next = try directory.openWhole(name)
      // What was reserved and never used is given back.
      try file.truncate(to: end)
    } catch {
      throw fail(error)
    }
    file = next
    header = head.header
    end = nextEnd
    allocatedEnd = allocatedEnd.map { _ in nextEnd + SegmentHead.reserveForMarks }
    syncedOffset = end
    snapshots = SnapshotWriter(directory, header)
    // The rest of a segment that is sealed is checked by whoever reads it.
    bodyCheck = nil
  }

  /// Appends a snapshot beside the segment. It is not synced, since nothing depends on it.
  ///
  /// - Throws: ``WriteError/noSnapshot(_:)`` where it could not be written.
  public func write(_ snapshot: Snapshot) throws(WriteError) -> SnapshotPlace {
    try checkUsable()
    guard snapshot.checkpoint.position == written, written >= header.firstPosition else {
      throw .outOfOrder(expected: written + 1)
    }
    do throws(FileError) {
      return try snapshots.append(snapshot, generations, segmentOffset: end)
    } catch {
      throw .noSnapshot(error)
    }
  }

  /// Checks the next piece of what the start did not read of the segment.
  ///
  /// - Throws: ``WriteError/badSegment(_:)``.
  public func check() throws(WriteError) {
    do throws(ReadError) {
      if try bodyCheck?.advance(Self.checkPiece) == true { bodyCheck = nil }
    } catch {
      throw .badSegment(error)
    }
  }

  /// Says in the log that it ended in order, so that the next start needs no recovery.
  public func stop() throws(WriteError) {
    // The mark claims that all before it is synced, so that has to be true first.
    try sync()
    do throws(FileError) {
      try snapshots.sync()
    } catch {
      // What of them reaches the disk is told by checksums.
    }
    var writer = ByteWriter(capacity: BlockHeader.length(payload: 0))
    let mark = BlockHeader(
      payloadLength: 0, kind: .cleanStop, recordCount: 0, firstPosition: written + 1, received: received,
      syncedTo: synced, syncedOffset: syncedOffset)
    FramedBlock.append(mark, identifier: header.identifier, to: &writer) { _ in }
    let end = end
    try append(writer.bytes, writer.count)
    do throws(WriteError) {
      // Little comes behind the mark, so that a start finds it at the file's end.
      try cutReserve()
      try sync()
    } catch {
      // The page cache may show a mark that the disk doesn't have; the next start must not go by it.
      try cut(to: end)
      throw error
    }
  }

  private func cutReserve() throws(WriteError) {
    let wanted = end + SegmentHead.reserveForMarks
    guard let allocated = allocatedEnd, allocated > wanted else { return }
    try cut(to: wanted)
    allocatedEnd = wanted
  }

  /// Says in the log that a daemon begins to write to it.
  func start() throws(WriteError) {
    var writer = ByteWriter(capacity: 128)
    let mark = StartMark(generation: generations.current, boot: options.boot, syncMode: options.syncMode.code)
    let framed = BlockHeader(
      payloadLength: 0, kind: .start, recordCount: 0, firstPosition: written + 1, received: received, syncedTo: synced,
      syncedOffset: syncedOffset)
    FramedBlock.append(framed, identifier: header.identifier, to: &writer) { mark.encode(into: &$0) }
    try append(writer.bytes, writer.count)
    try sync()
  }

  /// Appends a block.
  ///
  /// - Parameter room: so many bytes have to stay reserved behind it.
  private func append(_ bytes: Bytes, _ count: Int, keeping room: Int64 = 0) throws(WriteError) {
    do {
      try reserve(Int64(count) + room)
    } catch {
      guard error.isNoSpace else { throw fail(error) }
      // A part of what was asked for may have been given. What was there before stays, for a stop and a start.
      try cut(to: allocatedEnd ?? end)
      throw .noSpace(error)
    }
    do {
      try bytes.withBytes(0, count) { (bytes) throws(FileError) in try file.write(bytes, at: end) }
    } catch {
      guard error.isNoSpace else { throw fail(error) }
      // A part of the block may stand there; what follows must not be taken for its rest.
      try cut(to: end)
      allocatedEnd = allocatedEnd.map { _ in end }
      // Nothing of it may come back once the segment is sealed.
      hasUnsyncedCut = true
      throw .noSpace(error)
    }
    end += Int64(count)
  }

  private func cut(to size: Int64) throws(WriteError) {
    do {
      try file.truncate(to: size)
    } catch {
      throw fail(error)
    }
  }

  /// Reserves space for the next bytes, and more ahead while there is more.
  private func reserve(_ count: Int64) throws(FileError) {
    guard let allocated = allocatedEnd, end + count > allocated else { return }
    for wanted in [max(options.preallocation, count), count] {
      do {
        let isPossible = try file.preallocate(from: end, count: wanted)
        allocatedEnd = isPossible ? end + wanted : nil
        return
      } catch {
        if !error.isNoSpace || wanted == count { throw error }
      }
    }
  }

  private func checkUsable() throws(WriteError) {
    if let failure { throw .failed(failure) }
  }

  private func fail(_ error: FileError) -> WriteError {
    failure = error
    syncDue = nil
    return .failed(error)
  }
}
