import ScrollModel

/// What stands where in a packed segment. All of it can be told from the blocks that it is about, so nothing is lost with it.
struct PackedIndex: Equatable {
  /// A packed block.
  struct Block: Equatable {
    /// Where it stands in the file.
    var offset: Int64
    /// The position of its first record, or of the next one where it holds none.
    var firstPosition: Position
    /// How many positions it takes.
    var recordCount: Int64
    /// When its first and its last block was received, microseconds since the Unix epoch.
    var firstReceived: Int64
    var lastReceived: Int64
    /// Which of ``PackedIndex/sessions`` have records in it, ascending.
    var sessions: [Int]

    var nextPosition: Position { firstPosition + recordCount }
  }

  /// A checkpoint within the segment.
  struct InnerCheckpoint: Equatable {
    /// Where its first block stands in the file.
    var offset: Int64
    /// The last position that is folded into it.
    var position: Position
    /// When the record at that position was received, microseconds since the Unix epoch.
    var received: Int64
  }

  /// A session with records in the segment.
  struct Session: Equatable {
    var id: SessionID
    /// Whose it is; `nil` for one of which only is left that it was here.
    var client: ClientID?
    /// The segment holds its opening.
    var isOpened = false
    /// The segment holds its closing, or the place of that.
    var isClosed = false
  }

  var blocks: [Block] = []
  var checkpoints: [InnerCheckpoint] = []
  var sessions: [Session] = []

  /// When the last record of the segment was received; `nil` where there is no block.
  var lastReceived: Int64? { blocks.last?.lastReceived }

  /// The ids of the sessions that were closed in the segment.
  var closedSessions: [SessionID] { sessions.lazy.filter(\.isClosed).map(\.id) }

  /// The block that holds a position, or the first one behind it; `nil` behind the last.
  func block(of position: Position) -> Block? {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].nextPosition <= position { low = middle + 1 } else { high = middle }
    }
    return low < blocks.count ? blocks[low] : nil
  }
}
