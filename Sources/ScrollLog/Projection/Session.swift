import ScrollModel

/// One open session: how it began, where it stands, and the state that its events fold to.
public final class Session {
  /// The session's name.
  public let id: SessionID
  /// How it began. The policy in it is the one that folds it, whatever was configured since.
  public let opening: Opening
  /// Where its opening stands in the log.
  public let openedPosition: Position
  /// When the daemon got its opening, microseconds since the Unix epoch.
  public let openedReceived: Int64
  /// The position of its last event, or of its opening before there is one.
  public internal(set) var lastPosition: Position
  /// When the daemon got the record at ``lastPosition``, microseconds since the Unix epoch.
  public internal(set) var lastReceived: Int64
  /// The number that its next event has.
  public internal(set) var nextNumber: Int64
  /// What its events fold to.
  public internal(set) var state: FoldState
  /// Where its newest events stand.
  var numbers: NumberIndex

  init(_ id: SessionID, _ opening: Opening, position: Position, received: Int64) {
    self.id = id
    self.opening = opening
    openedPosition = position
    openedReceived = received
    lastPosition = position
    lastReceived = received
    nextNumber = 1
    state = FoldState()
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
    numbers = NumberIndex(checkpoint.newestRuns)
  }

  /// Whose session it is.
  public var client: ClientID { opening.client }

  /// Where one of the newest events stands in the log.
  ///
  /// - Returns: `nil` for a number that was not given yet, and for events before some 256 calls ago (after a restart
  ///   16), whose position only the log still knows.
  public func position(ofNumber number: Int64) -> Position? { numbers.position(of: number) }

  /// The session as a checkpoint holds it.
  var checkpoint: Checkpoint.Session {
    Checkpoint.Session(
      id: id, opening: opening, openedPosition: openedPosition, openedReceived: openedReceived,
      lastPosition: lastPosition, lastReceived: lastReceived, nextNumber: nextNumber, state: state,
      newestRuns: numbers.newest(NumberIndex.kept))
  }

  /// A session of its own that is like this one.
  func copy() -> Session {
    let copy = Session(id, opening, position: openedPosition, received: openedReceived)
    copy.lastPosition = lastPosition
    copy.lastReceived = lastReceived
    copy.nextNumber = nextNumber
    copy.state = state
    copy.numbers = numbers
    return copy
  }
}
