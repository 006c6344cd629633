import ScrollModel

/// The fold over the log's records up to a position: the open sessions and the state of each.
///
/// It starts at a checkpoint and continues block by block, in order:
///
///     let projection = Projection(checkpoint)
///     var observer = NoObserver()
///     try projection.apply(block, observer: &observer)
///     projection.session(of: client)?.state.toolbar
///
/// Records at or before ``position`` are skipped, so a block may begin before it.
public final class Projection {
  /// The last position that has been folded.
  public private(set) var position: Position
  /// When the daemon received the record at ``position``, microseconds since the Unix epoch; 0 at the start of a log.
  public private(set) var received: Int64
  /// The open sessions.
  public private(set) var sessions: [SessionID: Session] = [:]
  private var clients: [ClientID: Session] = [:]

  /// The version of the fold.
  public let foldVersion: UInt32

  /// A condition that sessions meet.
  public typealias Condition = (SessionID, ClientID) -> Bool

  /// What a session of a query takes at most, in bytes, with its places in two dictionaries and its client's name.
  public static let queriedSessionSize = 1536

  /// The sessions that a query needs; `nil` for a fold of all sessions that keeps everything about them.
  private let isWanted: Condition?
  /// Whether states are computed. A query that only lists records needs none.
  private let computesStates: Bool

  /// Creates a fold that continues from a checkpoint.
  ///
  /// - Parameters:
  ///   - foldVersion: the version of the fold; tests use others.
  ///   - computesStates: whether states are computed. If not, the observer gets events by
  ///     ``ProjectionObserver/passed(_:_:number:at:)``, and the states of sessions mean nothing.
  ///   - isWanted: the sessions that a query needs. Others are not folded, and of these only the state is kept.
  public init(
    _ checkpoint: Checkpoint, foldVersion: UInt32 = Policy.foldVersion, computesStates: Bool = true,
    where isWanted: Condition? = nil
  ) {
    self.foldVersion = foldVersion
    self.isWanted = isWanted
    self.computesStates = computesStates
    position = checkpoint.position
    received = checkpoint.received
    add(checkpoint.sessions)
  }

  /// Creates a fold of no records.
  ///
  /// - Parameters:
  ///   - foldVersion: the version of the fold.
  ///   - isWanted: the sessions that a query needs.
  public init(foldVersion: UInt32, where isWanted: @escaping Condition) {
    self.foldVersion = foldVersion
    self.isWanted = isWanted
    computesStates = true
    position = 0
    received = 0
  }

  /// Adds sessions of a checkpoint that is read in pieces.
  func add(_ sessions: [Checkpoint.Session]) {
    for saved in sessions {
      if let isWanted, !isWanted(saved.id, saved.opening.client) { continue }
      let session = Session(saved)
      if isWanted != nil { session.reduceForQuery() }
      insert(session)
    }
  }

  /// Places the fold at the position of a checkpoint, after its last piece.
  func move(to checkpoint: Checkpoint) { advance(to: checkpoint.position, checkpoint.received) }

  private init(emptyCopyOf other: Projection, computesStates: Bool, where isWanted: @escaping Condition) {
    foldVersion = other.foldVersion
    self.isWanted = isWanted
    self.computesStates = computesStates
    position = other.position
    received = other.received
  }

  /// Returns the open session of a client.
  public func session(of client: ClientID) -> Session? { clients[client] }

  /// Returns an independent copy for a query, which folds only the sessions that meet a condition. The fold must have all of
  /// them.
  public func copyForQuery(where isWanted: @escaping Condition) -> Projection {
    let copy = emptyCopyForQuery(where: isWanted)
    var copying = Copying(of: self)
    while !copying.copy(.max, to: copy) {}
    return copy
  }

  /// Returns a copy for a query without the sessions, which ``Copying`` adds before anything is folded.
  ///
  /// - Parameter computesStates: whether the query needs states.
  public func emptyCopyForQuery(computesStates: Bool = true, where isWanted: @escaping Condition) -> Projection {
    Projection(emptyCopyOf: self, computesStates: computesStates, where: isWanted)
  }

  /// The copying of a fold's sessions to another one, in pieces. The fold must not change in the meantime.
  public struct Copying {
    private let sessions: [SessionID: Session].Values
    private var index: [SessionID: Session].Values.Index

    /// Creates one that has copied nothing yet.
    public init(of projection: Projection) {
      sessions = projection.sessions.values
      index = sessions.startIndex
    }

    /// How much memory the sessions take at most, in bytes.
    public var heldBytes: Int { sessions.count * Projection.queriedSessionSize }

    /// Copies those of the next `count` sessions that the other fold wants.
    ///
    /// - Returns: Whether all are copied.
    public mutating func copy(_ count: Int, to other: Projection) -> Bool {
      var left = count
      while index != sessions.endIndex, left > 0 {
        left -= 1
        let session = sessions[index]
        sessions.formIndex(after: &index)
        if other.isWanted?(session.id, session.client) ?? true { other.insert(session.copyForQuery()) }
      }
      return index == sessions.endIndex
    }
  }

  /// How much memory the sessions of a query take at most, in bytes.
  public var queriedSize: Int { sessions.count * Self.queriedSessionSize }

  /// Returns a checkpoint from which a fold can continue here.
  public func checkpoint() -> Checkpoint {
    let saved = sessions.values.map(\.checkpoint).sorted { $0.openedPosition < $1.openedPosition }
    return Checkpoint(position: position, received: received, foldVersion: foldVersion, sessions: saved)
  }

  /// Folds the records of a block after ``position`` and up to `limit`, and reports each to the observer.
  ///
  /// - Throws: ``ContentError`` when the block does not follow what was folded. The records before the faulty one are
  ///   folded then.
  public func apply(
    _ block: BlockView, through limit: Position = .max, observer: inout some ProjectionObserver
  ) throws(ContentError) {
    guard block.lastPosition > position, limit > position else { return }
    guard block.firstPosition <= position + 1 else {
      throw .positionGap(expected: position + 1, found: block.firstPosition)
    }
    var reader = block.reader
    var place = RecordPlace(position: block.firstPosition, received: block.received)
    while !reader.isAtEnd {
      let entry = try EntryCoding.read(&reader)
      switch entry {
      case .run(let id, let firstNumber, let count):
        if try !applyRun(&reader, id, firstNumber, count, through: limit, &place, &observer) { return }
        continue
      case .tombstone(let count):
        place.position += Int64(count)
        if place.position - 1 > position { advance(to: min(limit, place.position - 1), place.received) }
        continue
      default:
        break
      }
      if place.position > limit { return }
      if place.position > position {
        try apply(entry, at: place, &observer)
        advance(to: place.position, place.received)
      }
      place.position += 1
    }
    guard place.position == block.lastPosition + 1 else {
      throw .recordCount(header: block.recordCount, found: Int(place.position - block.firstPosition))
    }
  }

  private func advance(to position: Position, _ received: Int64) {
    self.position = position
    self.received = received
  }

  /// - Returns: whether the whole run is within the limit.
  private func applyRun(
    _ reader: inout ByteReader, _ id: SessionID, _ firstNumber: Int64, _ count: Int, through limit: Position,
    _ place: inout RecordPlace, _ observer: inout some ProjectionObserver
  ) throws(ContentError) -> Bool {
    if isSkipped(id) { return try skipRun(&reader, count, through: limit, &place) }
    var number = firstNumber
    let end = place.position + Int64(count)
    while place.position < end, place.position <= min(limit, position) {
      try EventCoding.skip(&reader)
      number += 1
      place.position += 1
    }
    if place.position == end { return true }
    if place.position > limit { return false }
    var event = Event(.scroll, time: 0)
    try EventCoding.read(&reader, into: &event)
    let session = try open(id, place)
    guard session.nextNumber == number else {
      throw .numberGap(id, expected: session.nextNumber, found: number)
    }
    // Once for the run, not for each event.
    let policy = session.opening.policy
    let firstApplied = place.position
    defer {
      let count = place.position - firstApplied
      if count > 0 {
        session.numbers.add(.init(firstNumber: number - count, firstPosition: firstApplied, count: count))
      }
    }
    while true {
      session.nextNumber = number + 1
      session.lastPosition = place.position
      session.lastReceived = place.received
      advance(to: place.position, place.received)
      apply(event, number: number, of: session, policy, at: place, &observer)
      number += 1
      place.position += 1
      if place.position == end { return true }
      if place.position > limit { return false }
      try EventCoding.read(&reader, into: &event)
    }
  }

  /// Folds an event into its session's state.
  ///
  /// The event is borrowed, since it is large, and each use would make a copy of the caller's variable.
  private func apply(
    _ event: borrowing Event, number: Int64, of session: Session, _ policy: Policy, at place: RecordPlace,
    _ observer: inout some ProjectionObserver
  ) {
    guard computesStates else { return observer.passed(session, event, number: number, at: place) }
    let step = policy.step(&session.state, event)
    session.measures?.add(event, step, session.state)
    // A query asks for states only.
    if isWanted == nil, step.changed.contains(.toolbar) {
      session.didTurn(event, number: number, step.reason, at: place.position)
    }
    observer.stepped(session, event, number: number, step, at: place)
  }

  /// Whether the records of a session are skipped, since a query doesn't need it.
  private func isSkipped(_ id: SessionID) -> Bool { isWanted != nil && sessions[id] == nil }

  /// - Returns: whether the whole run is within the limit.
  private func skipRun(
    _ reader: inout ByteReader, _ count: Int, through limit: Position, _ place: inout RecordPlace
  ) throws(ContentError) -> Bool {
    for _ in 0..<count {
      if place.position > limit { return false }
      try EventCoding.skip(&reader)
      if place.position > position { advance(to: place.position, place.received) }
      place.position += 1
    }
    return true
  }

  private func apply(
    _ entry: Entry, at place: RecordPlace, _ observer: inout some ProjectionObserver
  ) throws(ContentError) {
    switch entry {
    case .open(let id, let opening):
      if let isWanted, !isWanted(id, opening.client) { break }
      guard sessions[id] == nil, clients[opening.client] == nil else { throw .alreadyOpen(id, place.position) }
      let session = Session(id, opening, position: place.position, received: place.received)
      insert(session)
      observer.opened(session, at: place)
      if isWanted != nil { session.reduceForQuery() }
    case .close(let id, let closing):
      if isSkipped(id) { break }
      let session = try open(id, place)
      sessions[id] = nil
      clients[session.client] = nil
      observer.closed(session, closing, at: place)
    case .request(let id, let request):
      if isSkipped(id) { break }
      observer.requested(try open(id, place), request, at: place)
    case .response(let id, let response):
      if isSkipped(id) { break }
      observer.responded(try open(id, place), response, at: place)
    case .forgotten(let id):
      // It is still open here if forgetting was interrupted before it reached the older segments.
      guard let session = sessions.removeValue(forKey: id) else {
        observer.forgot(id, at: place)
        break
      }
      clients[session.client] = nil
      observer.closed(session, Closing(time: place.received, reason: .forgotten), at: place)
    case .run, .tombstone:
      break
    }
  }

  private func open(_ id: SessionID, _ place: RecordPlace) throws(ContentError) -> Session {
    guard let session = sessions[id] else { throw .sessionNotOpen(id, place.position) }
    return session
  }

  private func insert(_ session: Session) {
    sessions[session.id] = session
    clients[session.client] = session
  }
}
