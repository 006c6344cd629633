// Writes a sealed segment anew without some sessions.

import ScrollModel

/// Writes a sealed segment anew without some sessions, by one renaming.
///
/// Segments are to be done from the newest to the oldest: then a log in which only some are done still folds, since the place
/// of a closing ends what older segments still tell of its session.
struct SegmentForgetting {
  let directory: LogDirectory
  let options: LogOptions
  let scope: ForgetScope
  let firstPosition: Position

  /// Does it. What was done before is found done.
  ///
  /// - Throws: ``ReadError``: damage that hides what is in the segment, or a file operation that failed.
  func run() throws(ReadError) -> ForgottenRecords {
    let name = SegmentName.of(firstPosition)
    do {
      // Whether or not they tell of it: it is derived, and nobody begins there any more.
      try directory.removeIfThere(directory.path(of: SegmentName.snapshots(firstPosition)))
      let found = try rewrite(name)
      // Also where nothing was to be done, since an earlier try may have ended before this.
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
      // Retention was faster.
      if error.code == .noSuchFile { return ForgottenRecords(count: 0, segmentBytes: nil) }
      throw error
    }
    var header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    let identifier = header.identifier
    var scanner = SegmentScanner(file, identifier: identifier)
    let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    let blocks = scanner
    let (count, end) = try count(checkpoint, &scanner)
    var kept = checkpoint
    let rewriter = ForgettingRewriter(scope, checkpoint)
    kept.sessions = checkpoint.sessions.filter(rewriter.keeps)
    if count == 0, kept.sessions.count == checkpoint.sessions.count {
      return ForgottenRecords(count: 0, segmentBytes: try file.size())
    }
    header.identifier = options.identifier()
    header.created = options.now()
    // An interrupted try may have left its file.
    try directory.removeIfThere(directory.path(of: name + SegmentName.temporarySuffix))
    let (_, size) = try directory.createWhole(name) { new throws(FileError) in
      var copy = SegmentCopy(to: new, header)
      copy.append(kept, generations)
      try copy.append(blocks, to: end, rewriting: rewriter)
      return try copy.finish()
    }
    return ForgottenRecords(count: count, segmentBytes: size)
  }

  /// Goes over all blocks, and finds out whether all can be read.
  ///
  /// - Returns: how many records are to go, and where the blocks end.
  private func count(_ checkpoint: Checkpoint, _ scanner: inout SegmentScanner) throws -> (Int64, Int64) {
    var rewriter = ForgettingRewriter(scope, checkpoint)
    while true {
      switch try scanner.next() {
      case .block(let header, let bytes, let at):
        guard header.kind == .records else { continue }
        var payload = ByteWriter(capacity: header.payloadLength)
        try rewriter.rewrite(header.view(bytes, at: at), into: &payload)
      case .end:
        guard try SegmentReading.lastNonZero(in: scanner.file, from: scanner.offset) == nil else {
          throw LogDamage(file: scanner.file.path, offset: scanner.offset, reason: "a block is missing here")
        }
        return (rewriter.count, scanner.offset)
      case .bad(let problem):
        throw LogDamage(file: scanner.file.path, offset: scanner.offset, reason: "\(problem)")
      }
    }
  }
}
