import ScrollModel

/// What readers need of the index of a packed segment. The sessions stay encoded until a search examines them, since thousands of
/// names take long to decode, and most readers need none.
struct IndexOutline {
  let blocks: [PackedIndex.Block]
  let checkpoints: [PackedIndex.InnerCheckpoint]
  private let sessionCount: Int
  private let sessions: ByteReader

  /// Reads an index, and checks all of it but the names.
  init(_ reader: inout ByteReader) throws(ContentError) {
    sessionCount = Int(try reader.read(UInt32.self))
    sessions = reader
    for _ in 0..<sessionCount { try PackedIndexCoding.skipSession(&reader) }
    var (blocks, checkpoints): ([PackedIndex.Block], [PackedIndex.InnerCheckpoint]) = ([], [])
    _ = try PackedIndexCoding.readPlaces(
      &reader, sessionCount: sessionCount, block: { blocks.append($0) }, checkpoint: { checkpoints.append($0) },
      size: { _, _ in })
    self.blocks = blocks
    self.checkpoints = checkpoints
  }

  /// How much memory it takes, in bytes.
  var heldBytes: Int {
    let places = blocks.reduce(0) { $0 + $1.sessions.count }
    return sessions.bytes.capacity + places * MemoryLayout<Int>.size
      + blocks.count * (MemoryLayout<PackedIndex.Block>.size + 32)
  }

  /// An examination of the sessions, in pieces.
  struct Examination {
    private var reader: ByteReader
    private var left: Int
    /// Whether each session is wanted, as far as they are examined.
    private(set) var isWanted: [Bool] = []

    /// Begins with the first session.
    init(_ outline: IndexOutline) {
      reader = outline.sessions
      left = outline.sessionCount
    }

    /// Whether all sessions are examined.
    var isDone: Bool { left == 0 }

    /// Examines up to `count` sessions more.
    ///
    /// - Parameter condition: Whether a session is wanted. A forgotten session's entry no longer says which client it belonged
    ///   to, so it may be.
    mutating func examine(_ count: Int, where condition: (SessionID, ClientID) -> Bool) throws(ContentError) {
      for _ in 0..<min(count, left) {
        let session = try PackedIndexCoding.session(&reader)
        isWanted.append(session.client.map { condition(session.id, $0) } ?? true)
        left -= 1
      }
    }
  }
}

/// A packed segment that is open for readers.
struct OutlinedSegment {
  let file: any File
  let header: SegmentHeader
  let index: IndexOutline

  /// Returns the blocks from the one that holds a position.
  func blocks(from position: Position) -> SegmentBlocks {
    // Just past the start of the last block, a cursor finds no more blocks.
    let offset = index.blocks.block(of: position)?.offset ?? index.blocks.last.map { $0.offset + 1 } ?? 0
    return SegmentBlocks(SegmentScanner(file, identifier: header.identifier, offset: offset), isPacked: true)
  }
}
