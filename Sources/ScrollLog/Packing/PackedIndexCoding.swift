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
  }

  /// Reads an index and checks that its blocks are consecutive.
  static func read(_ reader: inout ByteReader) throws(ContentError) -> PackedIndex {
    var index = PackedIndex()
    for _ in 0..<(try reader.read(UInt32.self)) { index.sessions.append(try session(&reader)) }
    for _ in 0..<(try reader.read(UInt32.self)) {
      let block = try block(&reader, sessionCount: index.sessions.count)
      if let last = index.blocks.last {
        guard block.firstPosition == last.nextPosition else {
          throw .positionGap(expected: last.nextPosition, found: block.firstPosition)
        }
        guard block.offset > last.offset else { throw .badValue(field: "offset", value: UInt64(block.offset)) }
      }
      index.blocks.append(block)
    }
    for _ in 0..<(try reader.read(UInt32.self)) {
      let inner = PackedIndex.InnerCheckpoint(
        offset: try reader.natural("offset"), position: try reader.natural("position"), received: try reader.read())
      if let last = index.checkpoints.last, inner.position <= last.position {
        throw .badValue(field: "position", value: UInt64(inner.position))
      }
      index.checkpoints.append(inner)
    }
    guard reader.isAtEnd else { throw .badValue(field: "index's length", value: UInt64(reader.end - reader.offset)) }
    return index
  }

  private static func session(_ reader: inout ByteReader) throws(ContentError) -> PackedIndex.Session {
    let id = try reader.session()
    let flags: UInt8 = try reader.read()
    guard flags & ~(hasClient | isOpened | isClosed) == 0 else {
      throw .badValue(field: "index flags", value: UInt64(flags))
    }
    let client = flags & hasClient != 0 ? ClientID(user: try reader.read(), name: try reader.text("client")) : nil
    return PackedIndex.Session(
      id: id, client: client, isOpened: flags & isOpened != 0, isClosed: flags & isClosed != 0)
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
