import ScrollModel

/// The measuring of a sealed segment: whose records it holds, and whose sessions its head describes. A head can be larger than
/// the records, and who has its sessions open has caused it.
struct SegmentMeasuring {
  let directory: LogDirectory
  let firstPosition: Position

  /// Measures the segment, the records by its index if it has one with sizes.
  ///
  /// - Throws: ``ReadError``: damage hides records of the segment, or a file operation failed.
  func run() throws(ReadError) -> SegmentUse {
    let path = directory.path(ofSegment: firstPosition)
    do {
      let file = try directory.fileSystem.openForReading(path)
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, _) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      var use = SegmentUse(users: CheckpointCoding.bytesByUser(checkpoint))
      if let index = try PackedSegment.indexed(file, header)?.index, index.hasSizes {
        for session in index.sessions { if let client = session.client { use.add(session.bytes, of: client.user) } }
        return use
      }
      try scan(scanner, header, checkpoint, &use)
      return use
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
  }

  /// Counts the records that follow the head.
  private func scan(
    _ scanner: SegmentScanner, _ header: SegmentHeader, _ checkpoint: Checkpoint, _ use: inout SegmentUse
  ) throws {
    var owners: [SessionID: UInt32] = [:]
    for session in checkpoint.sessions { owners[session.id] = session.opening.client.user }
    var blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
    try blocks.readAll(of: directory.positions(ofSealed: firstPosition)) { header, view in
      guard header.kind == .records else { return }
      var reader = view.reader
      while !reader.isAtEnd {
        let start = reader.offset
        let entry = try EntryCoding.read(&reader)
        if case .run(_, _, let count) = entry { for _ in 0..<count { try EventCoding.skip(&reader) } }
        if case .open(let session, let opening) = entry { owners[session] = opening.client.user }
        guard let session = entry.session, let user = owners[session] else { continue }
        use.add(Int64(reader.offset - start), of: user)
      }
    }
  }
}
