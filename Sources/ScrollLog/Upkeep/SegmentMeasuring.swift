import ScrollModel

/// The measuring of a sealed segment: whose records it holds.
struct SegmentMeasuring {
  let directory: LogDirectory
  let firstPosition: Position

  /// Measures the segment, by its index if it has one with sizes.
  ///
  /// - Throws: ``ReadError``: damage hides records of the segment, or a file operation failed.
  func run() throws(ReadError) -> SegmentUse {
    let path = directory.path(ofSegment: firstPosition)
    do {
      let file = try directory.fileSystem.openForReading(path)
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      if let index = try PackedSegment.indexed(file, header)?.index, index.hasSizes {
        var use = SegmentUse()
        for session in index.sessions { if let client = session.client { use.add(session.bytes, of: client.user) } }
        return use
      }
      return try scan(file, header)
    } catch {
      throw ReadError(error, file: path, offset: 0)
    }
  }

  private func scan(_ file: any File, _ header: SegmentHeader) throws -> SegmentUse {
    var scanner = SegmentScanner(file, identifier: header.identifier)
    let (checkpoint, _) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    var owners: [SessionID: UInt32] = [:]
    for session in checkpoint.sessions { owners[session.id] = session.opening.client.user }
    var use = SegmentUse()
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
    return use
  }
}
