import ScrollModel

/// A search for records of sessions in a segment, which may still be written to after a position.
struct ForgettingSearch {
  let directory: LogDirectory
  let scope: ForgetScope
  let firstPosition: Position
  let lastPosition: Position

  /// Returns whether the segment has records of the sessions, or one of them is in its checkpoint.
  ///
  /// - Throws: ``ReadError``.
  func run() throws(ReadError) -> Bool {
    let path = directory.path(ofSegment: firstPosition)
    do {
      let file = try directory.fileSystem.openForReading(path)
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, _) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      var rewriter = ForgettingRewriter(scope, checkpoint)
      if checkpoint.sessions.contains(where: { !rewriter.keeps($0) }) { return true }
      var blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
      var next = firstPosition
      while next <= lastPosition {
        guard case .block(let block, let bytes, let at) = try blocks.readNext() else {
          throw LogDamage(file: path, offset: blocks.offset, reason: "position \(next) is missing here")
        }
        next = block.nextPosition
        guard block.kind == .records else { continue }
        var rest = ByteWriter(capacity: bytes.capacity)
        try rewriter.rewrite(block.view(bytes, at: at), into: &rest)
        if rewriter.count > 0 { return true }
      }
      return false
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
  }
}
