import ScrollModel

/// The index of a packed segment, while it is built block by block.
struct PackedIndexBuilder {
  private(set) var index = PackedIndex()
  private var places: [SessionID: Int] = [:]
  private var clients: [SessionID: ClientID] = [:]
  /// The sessions with records in the current block.
  private var inBlock: Set<Int> = []

  /// Creates a builder for a segment that starts with a checkpoint.
  init(_ checkpoint: Checkpoint) {
    for session in checkpoint.sessions { clients[session.id] = session.opening.client }
  }

  /// Adds an entry of the current block.
  ///
  /// - Parameter bytes: its size before packing.
  mutating func add(_ entry: Entry, bytes: Int) {
    defer {
      if let id = entry.session {
        let place = place(of: id)
        index.sessions[place].bytes += Int64(bytes)
      }
    }
    switch entry {
    case .run(let id, _, _), .request(let id, _), .response(let id, _):
      inBlock.insert(place(of: id))
    case .open(let id, let opening):
      // The id of a session that was closed long ago may be used again, even by another user.
      if let before = clients.updateValue(opening.client, forKey: id), before != opening.client { places[id] = nil }
      let place = place(of: id)
      index.sessions[place].isOpened = true
      inBlock.insert(place)
    case .close(let id, _), .forgotten(let id):
      let place = place(of: id)
      index.sessions[place].isClosed = true
      inBlock.insert(place)
    case .tombstone:
      break
    }
  }

  /// Ends the current block.
  ///
  /// - Parameters:
  ///   - packed: its header.
  ///   - offset: its offset in the file.
  ///   - firstReceived: when the first block in it was received.
  mutating func end(_ packed: BlockHeader, at offset: Int64, firstReceived: Int64) {
    index.blocks.append(
      .init(
        offset: offset, firstPosition: packed.firstPosition, recordCount: Int64(packed.recordCount),
        firstReceived: firstReceived, lastReceived: packed.received, sessions: inBlock.sorted()))
    inBlock = []
  }

  /// Adds a checkpoint within the segment.
  mutating func add(_ checkpoint: Checkpoint, at offset: Int64) {
    index.checkpoints.append(.init(offset: offset, position: checkpoint.position, received: checkpoint.received))
  }

  private mutating func place(of id: SessionID) -> Int {
    if let place = places[id] { return place }
    let place = index.sessions.count
    places[id] = place
    index.sessions.append(.init(id: id, client: clients[id]))
    return place
  }
}
