import ScrollModel

/// The snapshots beside a segment, up to the first one that is not intact.
struct SnapshotFile {
  let file: any File
  let identifier: UInt64
  /// The segment's index up to the last snapshot.
  private(set) var index = SegmentIndex()
  /// The sessions that were closed in the segment up to the last snapshot.
  private(set) var closedSessions = ClosedSessionIDs.ofStart
  /// The last position of the segment that was synced, as far as the snapshots know.
  private(set) var syncedTo: Position = 0
  /// The places of all snapshots, in order.
  private(set) var places: [SnapshotPlace] = []
  /// When the daemon received the segment's first record, microseconds since the Unix epoch.
  private(set) var firstReceived: Int64 = 0
  /// The last snapshot.
  let last: (place: SnapshotPlace, checkpoint: Checkpoint, generations: GenerationHistory)
  /// Where the last snapshot ends.
  private(set) var end: Int64 = 0
  /// How much was read for this.
  private(set) var blocksRead = 0
  private(set) var bytesRead: Int64 = 0

  /// Reads the index of every snapshot, and the checkpoint of the last one.
  ///
  /// - Parameter identifier: the segment's identifier.
  /// - Returns: `nil` when there is no intact snapshot of this segment.
  init?(_ directory: LogDirectory, firstPosition: Position, identifier: UInt64) throws {
    self.identifier = identifier
    do throws(FileError) {
      file = try directory.fileSystem.openForReading(directory.path(ofSnapshots: firstPosition))
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
    var scanner = SegmentScanner(file, identifier: identifier, offset: 0)
    var found: [(place: SnapshotPlace, index: SnapshotIndexCoding)] = []
    while let next = try Self.next(&scanner, after: found.last?.place) { found.append(next) }
    // The checkpoint of the last one may be cut off.
    var whole: (checkpoint: Checkpoint, generations: GenerationHistory)?
    while whole == nil, let candidate = found.last {
      scanner.offset = candidate.place.checkpointStart
      do {
        whole = try SegmentReading.checkpoint(&scanner, firstPosition: candidate.place.position + 1)
      } catch is LogDamage {
        found.removeLast()
      }
    }
    blocksRead = scanner.blocksRead
    bytesRead = scanner.bytesRead
    guard let whole, let first = found.first, let end = found.last else { return nil }
    last = (end.place, whole.checkpoint, whole.generations)
    self.end = scanner.offset
    firstReceived = first.index.firstReceived
    for (place, part) in found {
      places.append(place)
      index.append(part.entries)
      for session in part.closedSessions { closedSessions.insert(session.id, of: session.owner) }
      syncedTo = max(syncedTo, part.syncedTo)
    }
  }

  /// Returns the last position of a segment that was synced according to its snapshots; 0 if none can be read, which proves
  /// nothing.
  static func syncedPosition(
    _ directory: LogDirectory, _ firstPosition: Position, identifier: UInt64
  ) -> Position {
    let snapshots = try? SnapshotFile(directory, firstPosition: firstPosition, identifier: identifier)
    return snapshots?.syncedTo ?? 0
  }

  /// Reads the next snapshot; returns `nil` if none follows the previous one.
  private static func next(
    _ scanner: inout SegmentScanner, after previous: SnapshotPlace?
  ) throws(FileError) -> (SnapshotPlace, SnapshotIndexCoding)? {
    let start = scanner.offset
    guard case .block(let header, let bytes, let at) = try scanner.next(), header.kind == .snapshotIndex else {
      return nil
    }
    var reader = header.view(bytes, at: at).reader
    let index: SnapshotIndexCoding
    do throws(ContentError) {
      index = try SnapshotIndexCoding.read(&reader)
    } catch {
      return nil
    }
    guard index.offsetBefore == previous?.segmentOffset ?? 0, index.segmentOffset >= index.offsetBefore,
      header.firstPosition > previous?.position ?? 0
    else { return nil }
    let place = SnapshotPlace(
      position: header.firstPosition - 1, received: header.received, foldVersion: index.foldVersion,
      segmentOffset: index.segmentOffset, start: start, checkpointStart: scanner.offset)
    while let part = try scanner.peek(), part.kind == .checkpoint, part.firstPosition == header.firstPosition {
      scanner.skip(part)
      if part.flags & BlockHeader.continues == 0 { return (place, index) }
    }
    return nil
  }
}
