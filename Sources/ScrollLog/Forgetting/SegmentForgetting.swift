import ScrollModel

/// The removal of sessions from a sealed segment, which is rewritten and replaced in a single rename.
///
/// Process segments from the newest to the oldest. Then a log in which only some are done still folds, since a forgotten
/// closing ends what older segments hold of its session.
struct SegmentForgetting {
  let directory: LogDirectory
  let options: LogOptions
  let scope: ForgetScope
  let firstPosition: Position

  /// Removes the sessions. Does nothing to a segment without their records.
  ///
  /// - Throws: ``ReadError``: damage hides records of the segment, or a file operation failed.
  func run() throws(ReadError) -> ForgottenRecords {
    let name = SegmentName.of(firstPosition)
    do {
      // Even if they do not hold the sessions: no start uses the snapshots of a sealed segment.
      try directory.removeIfThere(directory.path(ofSnapshots: firstPosition))
      let found = try rewrite(name)
      // Even if nothing changed, since an earlier attempt may have ended before this.
      try directory.fileSystem.syncDirectory(directory.logPath)
      return found
    } catch {
      throw ReadError(error, file: directory.path(of: name), offset: 0)
    }
  }

  private func rewrite(_ name: String) throws -> ForgottenRecords {
    let file: any File
    do throws(FileError) {
      file = try directory.fileSystem.openForReading(directory.path(of: name))
    } catch {
      // Retention has removed the segment.
      if error.code == .noSuchFile { return ForgottenRecords(count: 0, segmentBytes: nil) }
      throw error
    }
    var header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    let identifier = header.identifier
    var scanner = SegmentScanner(file, identifier: identifier)
    let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    let blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
    let positions = try directory.positions(ofSealed: firstPosition)
    let rewriter = ForgettingRewriter(scope, checkpoint)
    let (count, isGood) = try count(rewriter, blocks, positions)
    var kept = checkpoint
    kept.sessions.removeAll { !rewriter.keeps($0) }
    // Bad bytes may hold anything and are dropped in any case.
    if isGood, count == 0, kept.sessions.count == checkpoint.sessions.count {
      return ForgottenRecords(count: 0, segmentBytes: try file.size())
    }
    header.identifier = options.identifier()
    header.created = options.now()
    let size = try directory.replaceWhole(name) { new in
      if header.isPacked {
        var copy = PackedSegmentWriter(to: new, header, kept, generations, options)
        try rewrite(blocks, positions, rewriter) { try copy.append($0, $1) }
        return try copy.finish()
      }
      var copy = SegmentCopy(to: new, header)
      copy.append(kept, generations)
      try rewrite(blocks, positions, rewriter) { try copy.append($0, $1) }
      return try copy.finish()
    }
    return ForgottenRecords(count: count, segmentBytes: size)
  }

  /// Reads all blocks, and makes sure that no record is hidden by damage.
  ///
  /// - Returns: how many records have to be removed, and whether the segment is free of damage.
  private func count(
    _ rewriter: ForgettingRewriter, _ blocks: SegmentBlocks, _ positions: Range<Position>
  ) throws -> (Int64, isGood: Bool) {
    var blocks = blocks
    var rewriter = rewriter
    let passed = try blocks.readAll(of: positions) { header, view in
      guard header.kind == .records else { return }
      var payload = ByteWriter(capacity: view.payload.count)
      try rewriter.rewrite(view, into: &payload)
    }
    return (rewriter.count, passed == nil)
  }

  /// Appends all blocks without the sessions.
  private func rewrite(
    _ blocks: SegmentBlocks, _ positions: Range<Position>, _ rewriter: ForgettingRewriter,
    _ append: (BlockHeader, BlockView) throws -> Void
  ) throws {
    var blocks = blocks
    var rewriter = rewriter
    try blocks.readAll(of: positions) { header, view in
      guard header.kind == .records else { return try append(header, view) }
      var payload = ByteWriter(capacity: BlockHeader.size + view.payload.count)
      payload.appendZeros(BlockHeader.size)
      try rewriter.rewrite(view, into: &payload)
      var header = header
      header.payloadLength = payload.count - BlockHeader.size
      header.unpackedLength = nil
      try append(header, header.view(payload.take(), at: 0))
    }
  }
}
