import ScrollLog
import ScrollModel

/// The open sessions in the order of their opening: of each user, and all of them.
struct SessionOrder {
  /// An opening. The session may have been closed since.
  struct Entry {
    let openedPosition: Position
    let id: SessionID
  }

  private struct Entries {
    private var entries: [Entry] = []
    private var closedCount = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Returns the first session that was opened after a position and is open.
    func next(after position: Position, _ open: (Entry) -> Session?) -> Session? {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].openedPosition <= position { low = middle + 1 } else { high = middle }
      }
      // At most half of the entries are closed, plus a few.
      for entry in entries[low...] {
        if let session = open(entry) { return session }
      }
      return nil
    }

    mutating func didClose(_ open: (Entry) -> Session?) {
      closedCount += 1
      guard closedCount > 64 + entries.count / 2 || closedCount == entries.count else { return }
      entries.removeAll { open($0) == nil }
      closedCount = 0
    }
  }

  private var all = Entries()
  private var byUser: [UInt32: Entries] = [:]
  /// The users with an open session of a client of each name.
  private var usersByName: [ClientName: Set<UInt32>] = [:]

  /// - Parameter sessions: The open sessions, in any order.
  init(_ sessions: some Sequence<Session>) {
    for session in sessions.sorted(by: { $0.openedPosition < $1.openedPosition }) { add(session) }
  }

  /// Adds a session that was opened after all others.
  mutating func add(_ session: Session) {
    let entry = Entry(openedPosition: session.openedPosition, id: session.id)
    all.add(entry)
    byUser[session.client.user, default: Entries()].add(entry)
    usersByName[session.client.name, default: []].insert(session.client.user)
  }

  /// Records that a session was closed.
  ///
  /// - Parameters:
  ///   - isClientOpen: Whether its client has another session, which is open.
  ///   - open: Returns the session of an entry if it is open.
  mutating func didClose(_ session: Session, isClientOpen: Bool, _ open: (Entry) -> Session?) {
    if !isClientOpen {
      usersByName[session.client.name]?.remove(session.client.user)
      if usersByName[session.client.name]?.isEmpty == true { usersByName[session.client.name] = nil }
    }
    all.didClose(open)
    byUser[session.client.user]?.didClose(open)
    if byUser[session.client.user]?.isEmpty == true { byUser[session.client.user] = nil }
  }

  /// Returns the users with an open session of a client of a name.
  func users(named name: ClientName) -> Set<UInt32> { usersByName[name] ?? [] }

  /// Returns the first session that was opened after a position.
  ///
  /// - Parameter open: Returns the session of an entry if it is open.
  func next(after position: Position, of user: UInt32?, _ open: (Entry) -> Session?) -> Session? {
    guard let user else { return all.next(after: position, open) }
    return byUser[user]?.next(after: position, open)
  }
}

/// An observer that keeps the order of sessions, and passes everything on.
struct OrderingObserver<Base: ProjectionObserver>: ProjectionObserver {
  var base: Base
  private(set) var opened: [Session] = []
  private(set) var closed: [Session] = []
  /// What the closed sessions come to, except for those that are being forgotten.
  private(set) var reports: [SessionReport] = []

  init(_ base: Base) { self.base = base }

  mutating func opened(_ session: Session, at place: RecordPlace) {
    opened.append(session)
    base.opened(session, at: place)
  }

  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    base.stepped(session, event, number: number, step, at: place)
  }

  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    base.requested(session, request, at: place)
  }

  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    base.responded(session, response, at: place)
  }

  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    closed.append(session)
    if closing.reason != .forgotten { reports.append(SessionReport(session, closing: (closing, place))) }
    base.closed(session, closing, at: place)
  }
}
