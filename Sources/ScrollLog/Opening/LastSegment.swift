// Reads the last segment as a start finds it.

import ScrollModel

/// The last segment as a start finds it: folded from its checkpoint to the last block that can be believed.
struct LastSegment {
  let path: String
  let file: any File
  let header: SegmentHeader
  /// The version of the fold that made the checkpoint.
  let foldVersion: UInt32
  private(set) var fold: SegmentFold
  /// Where the last good block ends.
  private(set) var end: Int64
  /// What stands behind the last good block besides zeros.
  private(set) var torn: (bytes: Range<Int64>, reason: String)?

  var projection: Projection { fold.projection }

  /// Whether the last block says that the daemon stopped in order, with nothing behind it.
  var isCleanlyStopped: Bool { fold.isCleanlyStopped && torn == nil }

  /// Reads the segment.
  ///
  /// - Throws: ``OpenError/damaged(_:)`` for bad bytes that were synced, ``OpenError/file(_:)``.
  init(_ directory: LogDirectory, firstPosition: Position) throws(OpenError) {
    path = directory.path(of: SegmentName.of(firstPosition))
    do {
      file = try directory.fileSystem.openForReading(path)
      header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
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

  private mutating func readBlocks(_ scanner: inout SegmentScanner) throws {
    while true {
      let offset = scanner.offset
      switch try scanner.next() {
      case .block(let header, let bytes, let at):
        do {
          try fold.take(header, header.view(bytes, at: at))
        } catch {
          throw LogDamage(file: path, offset: offset, reason: "\(error)")
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
