import ScrollModel

/// The last segment as a start finds it: folded from its checkpoint, or from the last snapshot beside it, to the last block
/// that can be believed.
struct LastSegment {
  let path: String
  let file: any File
  let header: SegmentHeader
  /// The version of the fold that goes on from the states that this fold began with.
  let foldVersion: UInt32
  private(set) var fold: SegmentFold
  /// Where the last good block ends.
  private(set) var end: Int64
  /// What stands behind the last good block besides zeros.
  private(set) var torn: (bytes: Range<Int64>, reason: String)?
  /// Where its blocks stand.
  private(set) var index = SegmentIndex()
  /// The snapshots that it was read from; `nil` when all of it was read.
  private(set) var snapshots: SnapshotFile?
  /// Checks what was not read.
  private(set) var bodyCheck: BodyCheck?
  /// What it took to read it, snapshots included.
  private(set) var blocksRead = 0
  private(set) var bytesRead: Int64 = 0

  var projection: Projection { fold.projection }

  /// Whether the last block says that the daemon stopped in order, with nothing behind it.
  var isCleanlyStopped: Bool { fold.isCleanlyStopped && torn == nil }

  /// Reads all of the segment.
  ///
  /// - Parameter foldVersion: the version of the fold.
  /// - Throws: ``OpenError/damaged(_:)`` for bad bytes that were synced, ``OpenError/file(_:)``.
  init(
    _ directory: LogDirectory, firstPosition: Position, foldVersion version: UInt32 = Policy.foldVersion
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
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      // The calls above throw nothing else.
      throw .damaged(LogDamage(file: path, offset: 0, reason: "\(error)"))
    }
  }

  /// Reads the segment from the last snapshot on, where it ends with a clean stop.
  ///
  /// - Throws: ``SnapshotDoubt``, or any error that was met: then all of the segment is to be read.
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

  /// Whether the file ends with the block of a clean stop, but for the little that stays reserved behind it.
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
        if header.kind == .records {
          index.note(.init(offset: offset, firstPosition: header.firstPosition, received: header.received))
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

  /// Looks at what stands behind the last good block, and decides whether it can be a write that never ended.
  private mutating func readTail(_ scanner: inout SegmentScanner, reason: String) throws {
    guard let last = try SegmentReading.lastNonZero(in: file, from: end) else { return }
    var hasMore = try scanner.skipToNextBlock()
    while hasMore {
      let offset = scanner.offset
      guard case .block(let header, _, _) = try scanner.next() else {
        // Only where no block stands, since it begins to look behind the place where it is.
        hasMore = try scanner.skipToNextBlock()
        continue
      }
      if header.syncedOffset > end {
        throw LogDamage(
          file: path, offset: end, reason: "\(reason), though the block at byte \(offset) says that it was synced")
      }
    }
    torn = (end..<(last + 1), reason)
  }
}

/// Why a start does not go by a snapshot and reads all of the last segment.
enum SnapshotDoubt: Error, CustomStringConvertible {
  case notStoppedCleanly
  case noSnapshot

  /// The text that people read.
  var description: String {
    switch self {
    case .notStoppedCleanly: "the log was not stopped in order"
    case .noSnapshot: "there is no snapshot of it"
    }
  }
}
