import ScrollModel

/// The encoding of checkpoints: a head and the open sessions, in as many blocks as they need.
enum CheckpointCoding {
  /// The payload size after which a checkpoint continues in another block, in bytes. A reader needs memory for one block, and
  /// reads it at once.
  static let blockLimit = 128 << 10

  /// Appends the blocks of a checkpoint to a file that is synced before it gets its name.
  ///
  /// - Parameters:
  ///   - origin: the offset in the file of the writer's first byte.
  ///   - kind: ``BlockKind/checkpoint`` at a segment's head, ``BlockKind/innerCheckpoint`` within a packed segment.
  ///   - isPacked: whether to compress the payloads.
  /// - Returns: the size of the uncompressed payloads, in bytes.
  @discardableResult
  static func append(
    _ checkpoint: Checkpoint, generations: GenerationHistory, identifier: UInt64, to writer: inout ByteWriter,
    origin: Int64 = 0, kind: BlockKind = .checkpoint, isPacked: Bool = false, blockLimit: Int = blockLimit
  ) -> Int {
    var size = 0
    var sessions = checkpoint.sessions[...]
    var isFirst = true
    repeat {
      var payload = ByteWriter(capacity: 4096)
      if isFirst { appendHead(checkpoint, generations, to: &payload) }
      isFirst = false
      while let session = sessions.first, payload.count < blockLimit {
        append(session, to: &payload)
        sessions.removeFirst()
      }
      let header = BlockHeader(
        payloadLength: 0, kind: kind, flags: sessions.isEmpty ? 0 : BlockHeader.continues, recordCount: 0,
        firstPosition: checkpoint.position + 1, received: checkpoint.received, syncedTo: checkpoint.position,
        syncedOffset: origin + Int64(writer.count))
      size += payload.count
      payload.bytes.withBytes(0, payload.count) { payload in
        if isPacked {
          FramedBlock.appendPacked(header, payload, identifier: identifier, to: &writer)
        } else {
          FramedBlock.append(header, identifier: identifier, to: &writer) { $0.append(payload) }
        }
      }
    } while !sessions.isEmpty
    return size
  }

  /// Returns how much of a checkpoint each user's sessions take before packing, in bytes.
  static func bytesByUser(_ checkpoint: Checkpoint) -> [UInt32: Int64] {
    var bytes: [UInt32: Int64] = [:]
    var writer = ByteWriter(capacity: 4096)
    for session in checkpoint.sessions {
      writer.truncate(to: 0)
      append(session, to: &writer)
      bytes[session.opening.client.user, default: 0] += Int64(writer.count)
    }
    return bytes
  }

  private static func appendHead(
    _ checkpoint: Checkpoint, _ generations: GenerationHistory, to writer: inout ByteWriter
  ) {
    writer.append(EntryTag.checkpointHead.rawValue)
    writer.append(checkpoint.position)
    writer.append(checkpoint.received)
    writer.append(checkpoint.foldVersion)
    writer.append(UInt32(generations.entries.count))
    for entry in generations.entries {
      writer.append(entry.generation)
      writer.append(entry.after)
    }
    writer.append(UInt64(checkpoint.sessions.count))
  }

  private static func append(_ session: Checkpoint.Session, to writer: inout ByteWriter) {
    writer.append(EntryTag.checkpointSession.rawValue)
    let lengthAt = writer.count
    writer.append(0 as UInt32)
    writer.append(session.id)
    OpeningCoding.append(session.opening, to: &writer)
    writer.append(session.openedPosition)
    writer.append(session.openedReceived)
    writer.append(session.lastPosition)
    writer.append(session.lastReceived)
    writer.append(session.nextNumber)
    FoldStateCoding.append(session.state, to: &writer)
    writer.append(UInt16(session.newestRuns.count))
    for run in session.newestRuns {
      writer.append(run.firstNumber)
      writer.append(run.firstPosition)
      writer.append(run.count)
    }
    if let measures = session.measures {
      MeasuresCoding.append(measures, to: &writer)
      if let turn = session.turn { TurnCoding.append(turn, to: &writer) }
    }
    writer.store(UInt32(writer.count - lengthAt - 4), at: lengthAt)
  }

  /// A checkpoint that is being put together from the payloads of its blocks.
  struct Assembly {
    private var head: Checkpoint?
    private var generations: GenerationHistory?
    private var sessionCount: UInt64 = 0
    /// How many sessions were read, and what the fold would keep only one of.
    private var readCount = 0
    private var ids: Set<SessionID> = []
    private var clients: Set<ClientID> = []

    /// How much memory the sessions in it take, and what is known of those that were taken, in bytes. Texts are not counted.
    var heldBytes: Int {
      (head?.sessions.count ?? 0) * MemoryLayout<Checkpoint.Session>.size
        + 2 * readCount * (MemoryLayout<SessionID>.size + MemoryLayout<ClientID>.size)
    }

    /// Adds the payload of a block.
    mutating func add(_ reader: ByteReader) throws(ContentError) {
      var reader = reader
      while try !add(&reader, atMost: .max, bytes: .max) {}
    }

    /// Adds a part of the payload of a block: entries until there are so many of them, or until they have so many bytes.
    ///
    /// - Returns: whether all of the payload is added.
    mutating func add(_ reader: inout ByteReader, atMost count: Int, bytes: Int) throws(ContentError) -> Bool {
      let start = reader.offset
      var left = count
      while !reader.isAtEnd {
        if left == 0 || reader.offset - start >= bytes { return false }
        left -= 1
        let tag: UInt8 = try reader.read()
        switch EntryTag(rawValue: tag) {
        case .checkpointHead: try readHead(&reader)
        case .checkpointSession: try readSession(&reader)
        default: throw .unknownTag(tag)
        }
      }
      return true
    }

    /// Removes the sessions that were read since the last call, and returns them.
    mutating func takeSessions() -> [Checkpoint.Session] {
      guard let sessions = head?.sessions, !sessions.isEmpty else { return [] }
      head?.sessions = []
      return sessions
    }

    /// Returns the checkpoint after the payload of its last block, without the sessions that were taken.
    func finish() throws(ContentError) -> (Checkpoint, GenerationHistory) {
      guard let head, let generations, UInt64(readCount) == sessionCount, ids.count == readCount,
        clients.count == readCount
      else { throw .badCheckpoint }
      return (head, generations)
    }

    private mutating func readHead(_ reader: inout ByteReader) throws(ContentError) {
      guard head == nil else { throw .badCheckpoint }
      let position = try reader.natural("checkpoint position")
      let received: Int64 = try reader.read()
      let foldVersion: UInt32 = try reader.read()
      var entries: [GenerationHistory.Entry] = []
      for _ in 0..<(try reader.read(UInt32.self)) {
        entries.append(
          .init(generation: try reader.ordinal("generation"), after: try reader.natural("generation start")))
      }
      guard let history = GenerationHistory(entries: entries) else { throw .badCheckpoint }
      generations = history
      sessionCount = try reader.read()
      head = Checkpoint(position: position, received: received, foldVersion: foldVersion, sessions: [])
    }

    private mutating func readSession(_ reader: inout ByteReader) throws(ContentError) {
      let length: UInt32 = try reader.read()
      let end = reader.offset + Int(length)
      let id = try reader.session()
      let opening = try OpeningCoding.read(&reader)
      var session = Checkpoint.Session(
        id: id, opening: opening, openedPosition: try reader.ordinal("opened position"),
        openedReceived: try reader.read(), lastPosition: try reader.ordinal("last position"),
        lastReceived: try reader.read(), nextNumber: try reader.ordinal("next number"),
        state: try FoldStateCoding.read(&reader), newestRuns: [])
      for _ in 0..<(try reader.read(UInt16.self)) {
        session.newestRuns.append(
          .init(
            firstNumber: try reader.ordinal("event number"), firstPosition: try reader.ordinal("position"),
            count: try reader.ordinal("run length")))
      }
      // Earlier programs did not measure, and those after them did not remember the turn.
      if reader.offset < end { session.measures = try MeasuresCoding.read(&reader) }
      if reader.offset < end { session.turn = try TurnCoding.read(&reader) }
      guard reader.offset == end else { throw .badValue(field: "session length", value: UInt64(length)) }
      guard head != nil else { throw .badCheckpoint }
      readCount += 1
      ids.insert(id)
      clients.insert(opening.client)
      head?.sessions.append(session)
    }
  }
}
