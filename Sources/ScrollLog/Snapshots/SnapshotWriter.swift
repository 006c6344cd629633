import ScrollModel

/// The writer of the snapshots beside the segment that is being written.
///
/// Nothing depends on snapshots: an error costs only the snapshot that it hits. If the partly written snapshot cannot be cut
/// off again, no more are appended until the next segment, since no reader would find them after it.
struct SnapshotWriter {
  private let directory: LogDirectory
  private let name: String
  private let identifier: UInt64
  private var file: (any File)?
  private var failure: FileError?
  /// The offset in the segment after the block of the last snapshot's position; 0 before the first snapshot.
  private var offsetBefore: Int64 = 0
  /// The size of the file, in bytes.
  private(set) var end: Int64 = 0
  private var isSynced = true

  /// Creates a writer for a segment that has no snapshots yet.
  init(_ directory: LogDirectory, _ header: SegmentHeader) {
    self.directory = directory
    name = SegmentName.snapshots(header.firstPosition)
    identifier = header.identifier
  }

  /// Creates a writer that continues after the last intact snapshot.
  init(_ directory: LogDirectory, _ header: SegmentHeader, after snapshots: SnapshotFile) throws(FileError) {
    self.init(directory, header)
    let file = try directory.fileSystem.openForWriting(directory.path(of: name))
    if try file.size() > snapshots.end { try file.truncate(to: snapshots.end) }
    self.file = file
    end = snapshots.end
    offsetBefore = snapshots.last.place.segmentOffset
  }

  /// Appends a snapshot without syncing it.
  ///
  /// - Parameters:
  ///   - segmentOffset: the offset in the segment after the block of the snapshot's position.
  ///   - syncedTo: the last position of the segment that is synced.
  mutating func append(
    _ snapshot: Snapshot, _ generations: GenerationHistory, segmentOffset: Int64, syncedTo: Position
  ) throws(FileError) -> SnapshotPlace {
    if let failure { throw failure }
    let index = SnapshotIndexCoding(
      foldVersion: snapshot.checkpoint.foldVersion, segmentOffset: segmentOffset, offsetBefore: offsetBefore,
      firstReceived: snapshot.firstReceived, entries: snapshot.entries, closedSessions: snapshot.closedSessions,
      syncedTo: syncedTo)
    let checkpoint = snapshot.checkpoint
    var writer = ByteWriter(capacity: 64 << 10)
    let header = BlockHeader(
      payloadLength: 0, kind: .snapshotIndex, recordCount: 0, firstPosition: checkpoint.position + 1,
      received: checkpoint.received, syncedTo: checkpoint.position, syncedOffset: end)
    FramedBlock.append(header, identifier: identifier, to: &writer) { index.encode(into: &$0) }
    let place = SnapshotPlace(
      position: checkpoint.position, received: checkpoint.received, foldVersion: checkpoint.foldVersion,
      segmentOffset: segmentOffset, start: end, checkpointStart: end + Int64(writer.count))
    CheckpointCoding.append(
      checkpoint, generations: generations, identifier: identifier, to: &writer, origin: end)
    do throws(FileError) {
      let file = try openFile()
      try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: end) }
    } catch {
      cutUnfinished()
      throw error
    }
    end += Int64(writer.count)
    offsetBefore = segmentOffset
    isSynced = false
    return place
  }

  /// Makes the snapshots survive a power loss.
  mutating func sync() throws(FileError) {
    guard !isSynced, let file else { return }
    try file.sync()
    try directory.fileSystem.syncDirectory(directory.logPath)
    isSynced = true
  }

  private mutating func openFile() throws(FileError) -> any File {
    if let file { return file }
    // A file of the same name belongs to another segment that had this name.
    try directory.removeIfThere(directory.path(of: name))
    let created = try directory.fileSystem.create(directory.path(of: name))
    file = created
    return created
  }

  private mutating func cutUnfinished() {
    do throws(FileError) {
      try file?.truncate(to: end)
    } catch {
      failure = error
    }
  }
}
