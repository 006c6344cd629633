import ScrollModel

/// The last segment as a start finds it: folded from its checkpoint, or from its last snapshot, to the last good block.
struct LastSegment {
  let path: String
  let file: any File
  let header: SegmentHeader
  /// The version of the fold that computed the states this fold starts from.
  let foldVersion: UInt32
  private(set) var fold: SegmentFold
  /// Where the last good block ends.
  private(set) var end: Int64
  /// What follows the last good block, if it is more than zeros.
  private(set) var torn: (bytes: Range<Int64>, reason: String)?
  /// The offsets of its blocks.
  private(set) var index = SegmentIndex()
  /// The snapshots that it was read from; `nil` if all of it was read.
  private(set) var snapshots: SnapshotFile?
  /// The check of what was not read.
  private(set) var bodyCheck: BodyCheck?
  /// How much was read, including snapshots.
  private(set) var blocksRead = 0
  private(set) var bytesRead: Int64 = 0

  var projection: Projection { fold.projection }

  /// Whether the last block marks a clean shutdown and nothing follows it.
  var isCleanlyStopped: Bool { fold.isCleanlyStopped && torn == nil }

  /// Reads all of the segment.
  ///
  /// - Parameter foldVersion: the version of the fold.
  /// - Throws: ``OpenError/damaged(_:)`` for bad bytes that were synced; ``OpenError/file(_:)``.
  init(
    _ directory: LogDirectory, firstPosition: Position, foldVersion version: UInt32 = Policy.foldVersion,
    seen: SeenPosition? = nil
  ) throws(OpenError) {
    path = directory.path(ofSegment: firstPosition)
    do {
      file = try directory.fileSystem.openForReading(path)
      header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      fold = SegmentFold(
        checkpoint, generations, boot: header.boot, syncMode: header.syncMode, foldVersion: version)
      foldVersion = checkpoint.foldVersion
      end = scanner.offset
      try readBlocks(&scanner)
      try checkEvidence(directory)
      if let torn, let seen = missing(seen) {
        throw LogDamage(
          file: path, offset: end, reason: "\(torn.reason), but clients have seen positions up to \(seen)")
      }
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      // The calls above throw nothing else.
      throw .damaged(LogDamage(file: path, offset: 0, reason: "\(error)"))
    }
  }

  /// Returns the position that a client has seen if the segment ends before it. A copy of the log may.
  func missing(_ seen: SeenPosition?) -> Position? {
    guard let seen, !fold.isCopy, seen.generation == fold.generations.current, seen.position > projection.position
    else { return nil }
    return seen.position
  }

  /// Throws if a snapshot says that records were synced which are not in the segment: they can't be an unfinished write.
  private func checkEvidence(_ directory: LogDirectory) throws {
    let synced = SnapshotFile.syncedPosition(directory, header.firstPosition, identifier: header.identifier)
    if synced <= projection.position { return }
    let reason = torn?.reason ?? "the segment ends here"
    throw LogDamage(
      file: path, offset: end, reason: "\(reason), but a snapshot says that positions up to \(synced) were synced")
  }

  /// Reads the segment from its last snapshot on, if it ends with a clean shutdown.
  ///
  /// - Throws: ``SnapshotDoubt``, or any other error. The caller then reads all of the segment.
  init(_ directory: LogDirectory, firstPosition: Position, fromSnapshot options: LogOptions) throws {
    path = directory.path(ofSegment: firstPosition)
    file = try directory.fileSystem.openForReading(path)
    header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    guard try Self.endsWithCleanStop(file, header) else { throw SnapshotDoubt.notStoppedCleanly }
    guard
      let snapshots = try SnapshotFile(directory, firstPosition: firstPosition, identifier: header.identifier)
    else { throw SnapshotDoubt.noSnapshot }
    self.snapshots = snapshots
    let place = snapshots.last.place
    fold = SegmentFold(
      snapshots.last.checkpoint, snapshots.last.generations, boot: header.boot, syncMode: header.syncMode,
      foldVersion: options.foldVersion, closedSessions: snapshots.closedSessions,
      firstReceived: snapshots.firstReceived)
    foldVersion = snapshots.last.checkpoint.foldVersion
    index = snapshots.index
    blocksRead = snapshots.blocksRead
    bytesRead = Int64(SegmentHeader.size) + SegmentHead.reserveForMarks + snapshots.bytesRead
    end = place.segmentOffset
    var check = BodyCheck(file, header, through: place.position, end: place.segmentOffset)
    if end > options.checkedAtStart {
      bodyCheck = check
    } else {
      _ = try check.advance(.max)
      blocksRead += check.blocksRead
      bytesRead += check.bytesRead
    }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: end)
    try readBlocks(&scanner)
    guard isCleanlyStopped else { throw SnapshotDoubt.notStoppedCleanly }
  }

  /// Returns whether the file ends with the mark of a clean shutdown and the little space reserved after it.
  private static func endsWithCleanStop(_ file: any File, _ header: SegmentHeader) throws(FileError) -> Bool {
    let length = Int64(BlockHeader.length(payload: 0))
    let behind = max(Int64(SegmentHeader.size), try file.size() - SegmentHead.reserveForMarks - length)
    guard let last = try SegmentReading.lastNonZero(in: file, from: behind) else { return false }
    // Blocks end at multiples of 8.
    let start = (last + 8) & ~7 - length
    guard start >= Int64(SegmentHeader.size) else { return false }
    var scanner = SegmentScanner(file, identifier: header.identifier, offset: start)
    guard case .block(let last, _, _) = try scanner.next() else { return false }
    return last.kind == .cleanStop
  }

  private mutating func readBlocks(_ scanner: inout SegmentScanner) throws {
    defer {
      blocksRead += scanner.blocksRead
      bytesRead += scanner.bytesRead
    }
    while true {
      let offset = scanner.offset
      switch try scanner.next() {
      case .block(let header, let bytes, let at):
        do {
          try fold.take(header, header.view(bytes, at: at))
        } catch {
          throw LogDamage(file: path, offset: offset, reason: "\(error)")
        }
        // The segments after it are missing, and something other than zeros follows the seal. This segment continues in its
        // place.
        if header.kind == .seal {
          scanner.offset = offset
          try readTail(&scanner, reason: "the segment is sealed here, but does not end here")
          return
        }
        if header.kind == .records {
          index.add(.init(offset: offset, firstPosition: header.firstPosition, received: header.received))
        }
        end = scanner.offset
      case .end:
        try readTail(&scanner, reason: "a block is missing here")
        return
      case .bad(let problem):
        try readTail(&scanner, reason: "\(problem)")
        return
      }
    }
  }

  /// Examines what follows the last good block, and throws unless it can be an unfinished write.
  private mutating func readTail(_ scanner: inout SegmentScanner, reason: String) throws {
    guard let last = try SegmentReading.lastNonZero(in: file, from: end) else { return }
    var hasMore = try scanner.skipToNextBlock()
    while hasMore {
      let offset = scanner.offset
      guard case .block(let header, _, _) = try scanner.next() else {
        // Not after a block, since the search starts after the current offset.
        hasMore = try scanner.skipToNextBlock()
        continue
      }
      if header.syncedOffset > end {
        throw LogDamage(
          file: path, offset: end, reason: "\(reason), but the block at byte \(offset) says that this part was synced")
      }
    }
    torn = (end..<(last + 1), reason)
  }
}

/// Why a start does not use a snapshot and reads all of the last segment.
enum SnapshotDoubt: Error, CustomStringConvertible {
  case notStoppedCleanly
  case noSnapshot

  /// The reason as a phrase for people.
  var description: String {
    switch self {
    case .notStoppedCleanly: "the log was not shut down cleanly"
    case .noSnapshot: "it has no snapshot"
    }
  }
}
