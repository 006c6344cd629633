import ScrollModel

/// An open session: its opening, its progress, and the state that its events fold to.
public final class Session {
  /// The session's ID.
  public let id: SessionID
  /// The opening. Its policy folds the session, whatever has been configured since.
  public private(set) var opening: Opening
  /// The position of the opening.
  public let openedPosition: Position
  /// When the daemon received the opening, microseconds since the Unix epoch.
  public let openedReceived: Int64
  /// The position of the last event, or of the opening before the first event.
  public internal(set) var lastPosition: Position
  /// When the daemon received the record at ``lastPosition``, microseconds since the Unix epoch.
  public internal(set) var lastReceived: Int64
  /// The number of the next event.
  public internal(set) var nextNumber: Int64
  /// The state that the events fold to.
  public internal(set) var state: FoldState
  /// What the session comes to; `nil` when its first events were folded by a program that did not measure.
  public internal(set) var measures: SessionMeasures?
  /// The positions of the newest events.
  var numbers: NumberIndex
  /// What last turned the toolbar. Most sessions never turn it, and a turn is as large as the rest of the session.
  private var lastTurn: TurnBox?

  /// A turn at a place of its own.
  private final class TurnBox {
    var turn: Turn

    init(_ turn: Turn) { self.turn = turn }
  }

  /// What last turned the toolbar; `nil` when nothing has, or when that is unknown.
  public var turn: Turn? { lastTurn?.turn }

  /// Whether ``turn`` is `nil` since nothing has turned the toolbar.
  public var hasNeverTurned: Bool { measures?.flips == 0 }

  /// Remembers the event that has just turned the toolbar.
  func didTurn(_ event: Event, number: Int64, _ reason: Reason?, at position: Position) {
    guard let reason, let clock = measures?.clock else {
      lastTurn = nil
      return
    }
    let turn = Turn(
      position: position, number: number, time: event.time, kind: event.kind, reason: reason, clock: clock, state: state
    )
    if isKnownUniquelyReferenced(&lastTurn) { lastTurn?.turn = turn } else { lastTurn = TurnBox(turn) }
  }

  init(_ id: SessionID, _ opening: Opening, position: Position, received: Int64) {
    self.id = id
    self.opening = opening
    openedPosition = position
    openedReceived = received
    lastPosition = position
    lastReceived = received
    nextNumber = 1
    state = FoldState()
    measures = SessionMeasures()
    numbers = NumberIndex()
  }

  init(_ checkpoint: Checkpoint.Session) {
    id = checkpoint.id
    opening = checkpoint.opening
    openedPosition = checkpoint.openedPosition
    openedReceived = checkpoint.openedReceived
    lastPosition = checkpoint.lastPosition
    lastReceived = checkpoint.lastReceived
    nextNumber = checkpoint.nextNumber
    state = checkpoint.state
    measures = checkpoint.measures
    lastTurn = checkpoint.turn.map { TurnBox($0) }
    numbers = NumberIndex(checkpoint.newestRuns)
  }

  /// The ID by which its user knows it. Another user's session may have the same one.
  public var shownID: SessionID { opening.givenID ?? id }

  /// The client that opened it.
  public var client: ClientID { opening.client }

  /// Returns the position of one of the newest events.
  ///
  /// - Returns: `nil` for a number that was not assigned yet, and for events of more than 256 calls ago (16 after a
  ///   restart), whose positions only the log knows.
  public func position(ofNumber number: Int64) -> Position? { numbers.position(of: number) }

  /// The session in the form of a checkpoint.
  var checkpoint: Checkpoint.Session {
    Checkpoint.Session(
      id: id, opening: opening, openedPosition: openedPosition, openedReceived: openedReceived,
      lastPosition: lastPosition, lastReceived: lastReceived, nextNumber: nextNumber, state: state,
      measures: measures, turn: turn,
      newestRuns: numbers.newest(NumberIndex.kept))
  }

  /// Returns an independent copy for a query: without the opening's texts, the positions of events and the turn.
  func copyForQuery() -> Session {
    let copy = Session(id, opening, position: openedPosition, received: openedReceived)
    copy.lastPosition = lastPosition
    copy.lastReceived = lastReceived
    copy.nextNumber = nextNumber
    copy.state = state
    copy.measures = measures
    copy.reduceForQuery()
    return copy
  }

  /// Drops what no query needs once the session is open: the opening's texts, the positions of events and the turn.
  func reduceForQuery() {
    lastTurn = nil
    opening.application = nil
    opening.title = nil
    numbers = NumberIndex()
  }
}
