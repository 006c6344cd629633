import ScrollModel

/// The first block of a snapshot, before its checkpoint.
struct SnapshotIndexCoding: Equatable {
  var foldVersion: UInt32
  /// The offset in the segment after the block of the snapshot's position.
  var segmentOffset: Int64
  /// The same of the previous snapshot; 0 for the first one.
  var offsetBefore: Int64
  var firstReceived: Int64
  var entries: [SegmentIndex.Entry]
  var closedSessions: [ClosedSession]
  /// The last position of the segment that was synced before the snapshot was written; 0 if the snapshot doesn't say.
  var syncedTo: Position = 0

  /// Stands for an unknown owner. The system gives no user this id.
  private static let unknownUser = UInt32.max

  func encode(into writer: inout ByteWriter) {
    writer.append(foldVersion)
    writer.append(segmentOffset)
    writer.append(offsetBefore)
    writer.append(firstReceived)
    writer.append(UInt32(entries.count))
    for entry in entries {
      writer.append(entry.offset)
      writer.append(entry.firstPosition)
      writer.append(entry.received)
    }
    writer.append(UInt32(closedSessions.count))
    for session in closedSessions {
      writer.append(session.id)
      if case .user(let user) = session.owner { writer.append(user) } else { writer.append(Self.unknownUser) }
    }
    writer.append(syncedTo)
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> SnapshotIndexCoding {
    var index = SnapshotIndexCoding(
      foldVersion: try reader.read(), segmentOffset: try reader.ordinal("segment offset"),
      offsetBefore: try reader.natural("offset before"), firstReceived: try reader.read(), entries: [],
      closedSessions: [])
    for _ in 0..<(try reader.read(UInt32.self)) {
      index.entries.append(
        .init(
          offset: try reader.ordinal("block offset"), firstPosition: try reader.ordinal("block position"),
          received: try reader.read()))
    }
    for _ in 0..<(try reader.read(UInt32.self)) {
      let id = try reader.session()
      let user: UInt32 = try reader.read()
      index.closedSessions.append(ClosedSession(id: id, owner: user == unknownUser ? .unknown : .user(user)))
    }
    // Earlier versions end here.
    if !reader.isAtEnd { index.syncedTo = try reader.natural("synced position") }
    guard reader.isAtEnd else { throw .badValue(field: "index", value: UInt64(reader.end - reader.offset)) }
    return index
  }
}
