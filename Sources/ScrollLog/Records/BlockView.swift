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
  ///
  /// - Parameters:
  ///   - owners: the sessions that were opened before.
  ///   - closed: called with each session that is closed and its owner.
  func collectClosedSessions(
    of owners: inout SessionOwners, _ closed: (SessionID, SessionOwner) -> Void
  ) throws(ContentError) {
    var reader = reader
    while !reader.isAtEnd {
      switch try EntryCoding.read(&reader) {
      case .run(_, _, let count):
        for _ in 0..<count { try EventCoding.skip(&reader) }
      case .open(let session, let opening):
        owners.add(session, opening)
      case .close(let session, _), .forgotten(let session):
        closed(session, owners.remove(session))
      case .request, .response, .tombstone:
        break
      }
    }
  }

  var reader: ByteReader { ByteReader(bytes, from: payload.lowerBound, to: payload.upperBound) }
}

/// The owners of the sessions that are open at a place in the log.
struct SessionOwners {
  private var users: [SessionID: UInt32] = [:]

  init(_ checkpoint: Checkpoint) {
    for session in checkpoint.sessions { add(session.id, session.opening) }
  }

  mutating func add(_ session: SessionID, _ opening: Opening) { users[session] = opening.client.user }

  mutating func remove(_ session: SessionID) -> SessionOwner {
    users.removeValue(forKey: session).map(SessionOwner.user) ?? .unknown
  }
}
