import ScrollModel

/// The index of a packed segment. It is derived from the segment's blocks, so no record is lost with it.
struct PackedIndex: Equatable {
  /// A packed block.
  struct Block: Equatable {
    /// The offset in the file.
    var offset: Int64
    /// The position of its first record, or of the next record if it has none.
    var firstPosition: Position
    /// How many positions it holds.
    var recordCount: Int64
    /// When its first and its last block were received, microseconds since the Unix epoch.
    var firstReceived: Int64
    var lastReceived: Int64
    /// The indices in ``PackedIndex/sessions`` of the sessions with records in it, ascending.
    var sessions: [Int]

    var nextPosition: Position { firstPosition + recordCount }
  }

  /// A checkpoint within the segment.
  struct InnerCheckpoint: Equatable {
    /// The offset of its first block in the file.
    var offset: Int64
    /// The last position that is folded into it.
    var position: Position
    /// When the record at that position was received, microseconds since the Unix epoch.
    var received: Int64
  }

  /// A session with records in the segment.
  struct Session: Equatable {
    var id: SessionID
    /// The client that opened it; `nil` for a forgotten session.
    var client: ClientID?
    /// Whether the segment holds its opening.
    var isOpened = false
    /// Whether the segment holds its closing, even if it has been forgotten.
    var isClosed = false
    /// The size of its records before packing, in bytes.
    var bytes: Int64 = 0

    var owner: SessionOwner { client.map { .user($0.user) } ?? .unknown }
  }

  var blocks: [Block] = []
  var checkpoints: [InnerCheckpoint] = []
  var sessions: [Session] = []
  /// Whether ``Session/bytes`` is known. Indexes of older versions do not have it.
  var hasSizes = true

  /// When the last record of the segment was received; `nil` if it has no blocks.
  var lastReceived: Int64? { blocks.last?.lastReceived }

  /// The sessions that were closed in the segment, with their owners.
  var closedSessions: [SessionID: SessionOwner] {
    let closed = sessions.lazy.filter(\.isClosed)
    return Dictionary(closed.map { ($0.id, $0.owner) }) { _, new in new }
  }

  /// Returns the sessions with records in the blocks that hold some of the positions.
  func sessions(in positions: ClosedRange<Position>) -> Set<SessionID> {
    let blocks = blocks.filter { $0.firstPosition <= positions.upperBound && $0.nextPosition > positions.lowerBound }
    return Set(blocks.flatMap(\.sessions).map { sessions[$0].id })
  }

  /// Returns whether another index says the same, as far as both say it.
  func agrees(with other: PackedIndex) -> Bool {
    if hasSizes == other.hasSizes { return self == other }
    return withoutSizes == other.withoutSizes
  }

  private var withoutSizes: PackedIndex {
    var index = self
    index.hasSizes = false
    for place in index.sessions.indices { index.sessions[place].bytes = 0 }
    return index
  }
}

extension [PackedIndex.Block] {
  /// Returns the block that holds a position, or else the next block; `nil` after the last block.
  func block(of position: Position) -> PackedIndex.Block? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].nextPosition <= position { low = middle + 1 } else { high = middle }
    }
    return low < count ? self[low] : nil
  }
}
