import ScrollModel

/// What this process knows of a segment that it writes or has written: an index of its blocks, and its snapshots.
struct SegmentMap {
  /// The identifier of the segment's file. The map is not valid for a file with another identifier.
  let identifier: UInt64
  private(set) var index = SegmentIndex()
  private(set) var snapshots: [SnapshotPlace] = []
  /// How many of the index's entries are stored in snapshots.
  private var savedEntries = 0
  /// The sessions that were closed in the segment since the last snapshot.
  private var closedSessions: [ClosedSession] = []

  /// Creates the map of a segment without records.
  init(identifier: UInt64) {
    self.identifier = identifier
  }

  /// Creates the map of a segment that a start has read and that a writer continues.
  ///
  /// - Parameters:
  ///   - closedSessions: every session that was closed in the segment.
  ///   - found: the snapshots that the writer continues; `nil` when it starts a new file.
  init(identifier: UInt64, index: SegmentIndex, closedSessions: ClosedSessionIDs, _ found: SnapshotFile?) {
    self.identifier = identifier
    self.index = index
    snapshots = found?.places ?? []
    savedEntries = found?.index.entries.count ?? 0
    let saved = found?.closedSessions ?? .ofStart
    self.closedSessions = closedSessions.all.filter { saved[$0.key] == nil }.map {
      ClosedSession(id: $0.key, owner: $0.value)
    }
  }

  /// Adds a block that was written.
  mutating func add(_ block: Block, endingAt end: Int64, closed: [ClosedSession]) {
    index.add(
      .init(offset: end - Int64(block.byteCount), firstPosition: block.firstPosition, received: block.received))
    closedSessions += closed
  }

  /// Returns the next snapshot.
  func snapshot(of checkpoint: Checkpoint, since firstReceived: Int64) -> Snapshot {
    Snapshot(
      checkpoint: checkpoint, entries: Array(index.entries[savedEntries...]), closedSessions: closedSessions,
      firstReceived: firstReceived)
  }

  /// Adds the snapshot that was written last.
  mutating func add(_ place: SnapshotPlace) {
    snapshots.append(place)
    savedEntries = index.entries.count
    closedSessions = []
  }

  /// Returns the last snapshot before a position that a version of the fold made.
  func snapshot(before position: Position, foldVersion: UInt32) -> SnapshotPlace? {
    snapshots.last { $0.position < position && $0.foldVersion == foldVersion }
  }

  /// Removes a snapshot that could not be read.
  mutating func remove(_ place: SnapshotPlace) {
    snapshots.removeAll { $0 == place }
  }
}
