import ScrollModel

/// The records of a block whose checksum is right.
public struct BlockView: Sendable {
  /// The position of the first record.
  public let firstPosition: Position
  /// How many records it has.
  public let recordCount: Int
  /// When the daemon received them, microseconds since the Unix epoch.
  public let received: Int64
  let bytes: Bytes
  let payload: Range<Int>

  /// The position of the last record.
  public var lastPosition: Position { firstPosition + Int64(recordCount) - 1 }

  /// The size of the memory that the records are in, in bytes. Other views may share it.
  public var heldBytes: Int { bytes.capacity }

  /// Returns a cursor over the records after a position.
  public func records(after position: Position = 0) -> RecordCursor {
    RecordCursor(self, after: position)
  }

  /// Collects the sessions that are closed in the block, without decoding events.
  func collectClosedSessions(into closed: inout Set<SessionID>) throws(ContentError) {
    var reader = reader
    while !reader.isAtEnd {
      switch try EntryCoding.read(&reader) {
      case .run(_, _, let count):
        for _ in 0..<count { try EventCoding.skip(&reader) }
      case .close(let session, _), .forgotten(let session):
        closed.insert(session)
      case .open, .request, .response, .tombstone:
        break
      }
    }
  }

  var reader: ByteReader { ByteReader(bytes, from: payload.lowerBound, to: payload.upperBound) }
}
