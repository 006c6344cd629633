import ScrollModel

/// A rewriter that removes sessions from the blocks of a segment, in order. Tombstones keep the positions of their records, and
/// a forgotten closing keeps the session's ID, so that it is never used again.
struct ForgettingRewriter {
  private let scope: ForgetScope
  /// The sessions found so far. Every session with records in a segment is in its checkpoint or opened in it.
  private var sessions: Set<SessionID>
  /// How many records were removed.
  private(set) var count: Int64 = 0

  /// Creates a rewriter for a segment that starts with a checkpoint.
  init(_ scope: ForgetScope, _ checkpoint: Checkpoint) {
    self.scope = scope
    sessions = Set(
      checkpoint.sessions.filter {
        scope.includes($0.id, given: $0.opening.givenID, of: $0.opening.client, received: $0.openedReceived)
      }.map(\.id))
    switch scope {
    case .session(let id): sessions.insert(id)
    case .client, .share: break
    case .listed(let selection, let except): sessions.formUnion(Set(selection.list.sessions.keys).subtracting(except))
    }
  }

  /// Returns whether a session of the checkpoint stays.
  func keeps(_ session: Checkpoint.Session) -> Bool { !sessions.contains(session.id) }

  /// Appends the payload of a block of records without the sessions.
  mutating func rewrite(_ view: BlockView, into writer: inout ByteWriter) throws(ContentError) {
    var reader = view.reader
    var gone: UInt32 = 0
    while !reader.isAtEnd {
      let start = reader.offset
      let entry = try EntryCoding.read(&reader)
      var taken: UInt32?
      switch entry {
      case .run(let session, _, let events):
        for _ in 0..<events { try EventCoding.skip(&reader) }
        if sessions.contains(session) { taken = UInt32(events) }
      case .open(let session, let opening):
        if scope.includes(session, given: opening.givenID, of: opening.client, received: view.received) {
          sessions.insert(session)
        } else if case .share = scope {
          // Another user may use the id of a session that was closed long ago.
          sessions.remove(session)
        }
        if sessions.contains(session) { taken = 1 }
      case .request(let session, _), .response(let session, _):
        if sessions.contains(session) { taken = 1 }
      case .close(let session, _) where sessions.contains(session):
        Self.appendTombstone(&gone, to: &writer)
        EntryCoding.appendForgotten(session, to: &writer)
        count += 1
        continue
      case .tombstone(let records):
        gone += UInt32(records)
        continue
      case .close, .forgotten:
        break
      }
      if let taken {
        gone += taken
        count += Int64(taken)
      } else {
        Self.appendTombstone(&gone, to: &writer)
        view.bytes.withBytes(start, reader.offset - start) { writer.append($0) }
      }
    }
    Self.appendTombstone(&gone, to: &writer)
  }

  private static func appendTombstone(_ count: inout UInt32, to writer: inout ByteWriter) {
    if count > 0 { EntryCoding.appendTombstone(count, to: &writer) }
    count = 0
  }
}
