import ScrollModel

/// The encoding of the index of a packed segment.
enum PackedIndexCoding {
  private static let hasClient: UInt8 = 1
  private static let isOpened: UInt8 = 2
  private static let isClosed: UInt8 = 4

  static func append(_ index: PackedIndex, to writer: inout ByteWriter) {
    writer.append(UInt32(index.sessions.count))
    for session in index.sessions {
      writer.append(session.id)
      var flags: UInt8 = 0
      if session.client != nil { flags |= hasClient }
      if session.isOpened { flags |= isOpened }
      if session.isClosed { flags |= isClosed }
      writer.append(flags)
      guard let client = session.client else { continue }
      writer.append(client.user)
      writer.append(client.name.text)
    }
    writer.append(UInt32(index.blocks.count))
    for block in index.blocks {
      writer.append(block.offset)
      writer.append(block.firstPosition)
      writer.append(block.recordCount)
      writer.append(block.firstReceived)
      writer.append(block.lastReceived)
      writer.append(UInt32(block.sessions.count))
      for session in block.sessions { writer.append(UInt32(session)) }
    }
    writer.append(UInt32(index.checkpoints.count))
    for inner in index.checkpoints {
      writer.append(inner.offset)
      writer.append(inner.position)
      writer.append(inner.received)
    }
    for session in index.sessions where index.hasSizes { writer.append(session.bytes) }
  }

  /// Reads an index and checks that its blocks are consecutive.
  static func read(_ reader: inout ByteReader) throws(ContentError) -> PackedIndex {
    var index = PackedIndex()
    index.hasSizes = try read(
      &reader, session: { index.sessions.append($0) }, block: { index.blocks.append($0) },
      checkpoint: { index.checkpoints.append($0) }, size: { index.sessions[$0].bytes = $1 })
    return index
  }

  /// What a start needs from an index.
  struct Summary {
    /// The first position, and the one after the last block; 0 without blocks.
    var firstPosition: Position = 0
    var nextPosition: Position = 0
    /// When the last record was received; `nil` without blocks.
    var lastReceived: Int64?
  }

  /// Reads an index without keeping it, and checks it as ``read(_:)`` does.
  ///
  /// - Parameter closed: called with each session that was closed and its owner.
  static func readSummary(
    _ reader: inout ByteReader, closed: (SessionID, SessionOwner) -> Void
  ) throws(ContentError) -> Summary {
    var summary = Summary()
    _ = try read(
      &reader, session: { if $0.isClosed { closed($0.id, $0.owner) } },
      block: {
        if summary.lastReceived == nil { summary.firstPosition = $0.firstPosition }
        summary.nextPosition = $0.nextPosition
        summary.lastReceived = $0.lastReceived
      }, checkpoint: { _ in }, size: { _, _ in })
    return summary
  }

  /// - Returns: whether it has the sizes of sessions.
  private static func read(
    _ reader: inout ByteReader, session body: (PackedIndex.Session) -> Void,
    block: (PackedIndex.Block) -> Void, checkpoint: (PackedIndex.InnerCheckpoint) -> Void, size: (Int, Int64) -> Void
  ) throws(ContentError) -> Bool {
    let sessionCount = Int(try reader.read(UInt32.self))
    for _ in 0..<sessionCount { body(try session(&reader)) }
    return try readPlaces(&reader, sessionCount: sessionCount, block: block, checkpoint: checkpoint, size: size)
  }

  /// Reads what follows the sessions.
  ///
  /// - Returns: whether it has the sizes of sessions.
  static func readPlaces(
    _ reader: inout ByteReader, sessionCount: Int, block: (PackedIndex.Block) -> Void,
    checkpoint: (PackedIndex.InnerCheckpoint) -> Void, size: (Int, Int64) -> Void
  ) throws(ContentError) -> Bool {
    var last: PackedIndex.Block?
    for _ in 0..<(try reader.read(UInt32.self)) {
      let next = try self.block(&reader, sessionCount: sessionCount)
      if let last {
        guard next.firstPosition == last.nextPosition else {
          throw .positionGap(expected: last.nextPosition, found: next.firstPosition)
        }
        guard next.offset > last.offset else { throw .badValue(field: "offset", value: UInt64(next.offset)) }
      }
      last = next
      block(next)
    }
    var lastPosition: Position?
    for _ in 0..<(try reader.read(UInt32.self)) {
      let inner = PackedIndex.InnerCheckpoint(
        offset: try reader.natural("offset"), position: try reader.natural("position"), received: try reader.read())
      if let lastPosition, inner.position <= lastPosition {
        throw .badValue(field: "position", value: UInt64(inner.position))
      }
      lastPosition = inner.position
      checkpoint(inner)
    }
    // Earlier versions end here.
    let hasSizes = !reader.isAtEnd || sessionCount == 0
    if hasSizes { for place in 0..<sessionCount { size(place, try reader.natural("size of records")) } }
    guard reader.isAtEnd else { throw .badValue(field: "index's length", value: UInt64(reader.end - reader.offset)) }
    return hasSizes
  }

  /// Reads a session.
  static func session(_ reader: inout ByteReader) throws(ContentError) -> PackedIndex.Session {
    let id = try reader.session()
    let flags = try flags(&reader)
    let client = flags & hasClient != 0 ? ClientID(user: try reader.read(), name: try reader.text("client")) : nil
    return PackedIndex.Session(
      id: id, client: client, isOpened: flags & isOpened != 0, isClosed: flags & isClosed != 0)
  }

  /// Skips a session without decoding the name of its client.
  static func skipSession(_ reader: inout ByteReader) throws(ContentError) {
    _ = try reader.session()
    guard try flags(&reader) & hasClient != 0 else { return }
    _ = try reader.read(UInt32.self)
    _ = try reader.take(Int(try reader.read(UInt32.self)))
  }

  private static func flags(_ reader: inout ByteReader) throws(ContentError) -> UInt8 {
    let flags: UInt8 = try reader.read()
    guard flags & ~(hasClient | isOpened | isClosed) == 0 else {
      throw .badValue(field: "index flags", value: UInt64(flags))
    }
    return flags
  }

  private static func block(
    _ reader: inout ByteReader, sessionCount: Int
  ) throws(ContentError) -> PackedIndex.Block {
    var block = PackedIndex.Block(
      offset: try reader.natural("offset"), firstPosition: try reader.ordinal("position"),
      recordCount: try reader.natural("record count"), firstReceived: try reader.read(),
      lastReceived: try reader.read(), sessions: [])
    guard block.recordCount <= .max / 2 else {
      throw .badValue(field: "record count", value: UInt64(block.recordCount))
    }
    for _ in 0..<(try reader.read(UInt32.self)) {
      let session: UInt32 = try reader.read()
      guard Int(session) < sessionCount, block.sessions.last.map({ $0 < Int(session) }) ?? true else {
        throw .badValue(field: "session index", value: UInt64(session))
      }
      block.sessions.append(Int(session))
    }
    return block
  }
}

/// The content of the last block of a packed segment: the offset of its index.
enum IndexPlace {
  /// The size of the whole block, in bytes.
  static let blockSize = BlockHeader.length(payload: 8)

  static func append(_ offset: Int64, to writer: inout ByteWriter) { writer.append(offset) }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> Int64 {
    let offset = try reader.natural("offset")
    guard reader.isAtEnd else { throw .badValue(field: "place of the index", value: UInt64(offset)) }
    return offset
  }
}
