// What a process knows of where things stand in a segment that it writes, or has written.

import ScrollModel

/// What a process knows of where things stand in a segment that it writes, or has written: an index of its blocks and the
/// snapshots beside it.
struct SegmentMap {
  /// What seeds the checksums of the segment's blocks. A file of another one is not what this tells of.
  let identifier: UInt64
  private(set) var index = SegmentIndex()
  private(set) var snapshots: [SnapshotPlace] = []
  /// How many of the index's entries are in a snapshot.
  private var savedEntries = 0
  /// The sessions that were closed in the segment since the last snapshot.
  private var closedSessions: [SessionID] = []

  /// The map of a segment without records.
  init(identifier: UInt64) {
    self.identifier = identifier
  }

  /// The map of a segment that a start has read, and that a writer goes on with.
  init(_ segment: LastSegment, _ status: WriterStatus) {
    identifier = status.identifier
    index = segment.index
    var closed = segment.fold.closedSessions
    // A writer that has none begins them anew.
    if let found = segment.snapshots, status.snapshotBytes > 0 {
      snapshots = found.places
      savedEntries = found.index.entries.count
      closed.subtract(found.closedSessions)
    }
    closedSessions = Array(closed)
  }

  /// Takes up a block that was written.
  mutating func noteWritten(_ block: Block, endingAt end: Int64, closed: [SessionID]) {
    index.note(
      .init(offset: end - Int64(block.byteCount), firstPosition: block.firstPosition, received: block.received))
    closedSessions += closed
  }

  /// What the next snapshot is to hold.
  func snapshot(of checkpoint: Checkpoint, since firstReceived: Int64) -> Snapshot {
    Snapshot(
      checkpoint: checkpoint, entries: Array(index.entries[savedEntries...]), closedSessions: closedSessions,
      firstReceived: firstReceived)
  }

  /// Takes up the snapshot that was written last.
  mutating func noteWritten(_ place: SnapshotPlace) {
    snapshots.append(place)
    savedEntries = index.entries.count
    closedSessions = []
  }

  /// The last snapshot before a position that a version of the fold goes on from.
  func snapshot(before position: Position, foldVersion: UInt32) -> SnapshotPlace? {
    snapshots.last { $0.position < position && $0.foldVersion == foldVersion }
  }

  /// No longer counts on a snapshot that could not be read.
  mutating func forget(_ place: SnapshotPlace) {
    snapshots.removeAll { $0 == place }
  }

  /// Reads what a snapshot holds; `nil` when it cannot be read, and a reader has to begin further back.
  func checkpoint(at place: SnapshotPlace, _ directory: LogDirectory, _ segment: Position) -> Checkpoint? {
    do {
      let path = directory.path(of: SegmentName.snapshots(segment))
      var scanner = SegmentScanner(
        try directory.fileSystem.openForReading(path), identifier: identifier, offset: place.checkpointStart)
      return try SegmentReading.checkpoint(&scanner, firstPosition: place.position + 1).0
    } catch {
      return nil
    }
  }
}
