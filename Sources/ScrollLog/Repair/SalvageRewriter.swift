import ScrollModel

/// The records after a gap, so that they follow a checkpoint that knows as much as the rest of the log shows.
///
/// The gap may have opened sessions, closed them, and held events of them. A session whose opening is lost and that no
/// snapshot knows belongs to nobody, so tombstones take the place of its records.
struct SalvageRewriter {
  /// What is known of the sessions before and after the gap.
  struct Knowledge {
    /// The sessions before the gap.
    var before: Checkpoint
    /// The sessions at some later position, from a snapshot.
    var later: Checkpoint?
  }

  /// The sessions that are open after the gap.
  private(set) var sessions: [Checkpoint.Session] = []
  /// The sessions that have lost records, as far as that shows.
  private(set) var damaged: Set<SessionID> = []
  /// The sessions that were open at the gap and go on after it, of which nothing shows whether records are lost.
  private(set) var uncertain: Set<SessionID> = []
  /// The next number of each open session.
  private var open: [SessionID: Int64] = [:]

  /// Creates a rewriter of a stretch of blocks.
  ///
  /// - Parameter first: the position of the first record after the gap.
  init(_ known: Knowledge, from first: Position, _ survey: SalvageSurvey) {
    let later = known.later.map { Dictionary(uniqueKeysWithValues: $0.sessions.map { ($0.id, $0) }) }
    var found: [Checkpoint.Session] = []
    for var session in known.before.sessions {
      let start = survey.starts[session.id]
      let isGone = start == nil && (later != nil && later?[session.id] == nil)
      if isGone || start == .opened || start == nil && survey.opened.contains(session.opening.client) {
        damaged.insert(session.id)
        continue
      }
      if start == nil, let exact = later?[session.id], exact.lastPosition < first {
        // Without records after the gap, its state is the one in the snapshot.
        if exact.lastPosition > session.lastPosition { damaged.insert(session.id) }
        session = exact
      } else if case .event(let number) = start {
        if number > session.nextNumber {
          damaged.insert(session.id)
          session.nextNumber = number
        }
      } else {
        uncertain.insert(session.id)
      }
      found.append(session)
    }
    let ids = Set(found.map(\.id))
    for var session in known.later?.sessions ?? [] where session.openedPosition < first && !ids.contains(session.id) {
      // Its client's earlier session has ended in the gap.
      found.removeAll { $0.opening.client == session.opening.client }
      if session.lastPosition >= first {
        session.lastPosition = session.openedPosition
        session.lastReceived = session.openedReceived
        session.state = FoldState()
        session.newestRuns = []
        session.nextNumber = 1
        if case .event(let number) = survey.starts[session.id] { session.nextNumber = number }
      }
      damaged.insert(session.id)
      found.append(session)
    }
    sessions = found.sorted { $0.openedPosition < $1.openedPosition }
    open = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, $0.nextNumber) })
  }

  /// Returns a block as it is written.
  mutating func rewrite(_ header: BlockHeader, _ view: BlockView) throws(ContentError) -> (BlockHeader, BlockView) {
    guard header.kind == .records else { return (header, view) }
    var writer = ByteWriter(capacity: BlockHeader.size + view.payload.count)
    writer.appendZeros(BlockHeader.size)
    var reader = view.reader
    var gone: UInt32 = 0
    var isChanged = false
    func end(_ gone: inout UInt32, _ writer: inout ByteWriter) {
      if gone > 0 { EntryCoding.appendTombstone(gone, to: &writer) }
      gone = 0
    }
    while !reader.isAtEnd {
      let start = reader.offset
      let entry = try EntryCoding.read(&reader)
      var lost: UInt32?
      switch entry {
      case .run(let id, let number, let count):
        for _ in 0..<count { try EventCoding.skip(&reader) }
        if open[id] == number {
          open[id] = number + Int64(count)
        } else {
          lost = UInt32(count)
        }
      case .open(let id, _):
        open[id] = 1
      case .request(let id, _), .response(let id, _):
        if open[id] == nil { lost = 1 }
      case .close(let id, _):
        if open.removeValue(forKey: id) == nil {
          // Keeps the id, so that it is never used again.
          end(&gone, &writer)
          EntryCoding.appendForgotten(id, to: &writer)
          damaged.insert(id)
          isChanged = true
          continue
        }
      case .forgotten(let id):
        open[id] = nil
      case .tombstone:
        break
      }
      if let lost {
        gone += lost
        isChanged = true
        if let id = entry.session { damaged.insert(id) }
      } else {
        end(&gone, &writer)
        view.bytes.withBytes(start, reader.offset - start) { writer.append($0) }
      }
    }
    end(&gone, &writer)
    guard isChanged else { return (header, view) }
    var header = header
    header.payloadLength = writer.count - BlockHeader.size
    return (header, header.view(writer.take(), at: 0))
  }
}

/// How the sessions of a stretch of blocks begin in it.
struct SalvageSurvey {
  /// The first record of a session in the stretch.
  enum Start: Equatable {
    case event(number: Int64)
    case opened
    case other
  }

  private(set) var starts: [SessionID: Start] = [:]
  /// The clients that open a session in it.
  private(set) var opened: Set<ClientID> = []

  /// Adds the records of the next block.
  mutating func add(_ view: BlockView) throws(ContentError) {
    var reader = view.reader
    while !reader.isAtEnd {
      let entry = try EntryCoding.read(&reader)
      if case .run(_, _, let count) = entry { for _ in 0..<count { try EventCoding.skip(&reader) } }
      if case .open(_, let opening) = entry { opened.insert(opening.client) }
      guard let id = entry.session, starts[id] == nil else { continue }
      switch entry {
      case .run(_, let number, _): starts[id] = .event(number: number)
      case .open: starts[id] = .opened
      case .close, .request, .response, .tombstone, .forgotten: starts[id] = .other
      }
    }
  }
}
