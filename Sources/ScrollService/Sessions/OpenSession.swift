import ScrollModel

/// An open session, including events not yet on disk.
final class OpenSession {
  /// Accepted events that are not on disk.
  struct PendingRun {
    var firstNumber: Int64
    var firstPosition: Position
    var count: Int64
    /// Whether the events came in a oneway call, whose caller would not learn of a refusal.
    var isOneway: Bool
  }

  /// The id under which the log has it.
  let id: SessionID
  /// The id by which its user calls it.
  let shownID: SessionID
  let client: ClientID
  /// The user for whom it counts: its client's, or the one that owns the client's subordinate user id.
  var account: UInt32
  /// Whether it is being imported, and ends as it was recorded.
  let isImported: Bool
  /// The number that the next event gets.
  private(set) var nextNumber: Int64
  /// When the last record arrived, in the time since the boot, since idleness must not depend on a clock that somebody sets.
  var lastHeard: Int64
  /// The user who imports it, if that is not its own.
  var importer: UInt32?
  /// Whether a oneway call was refused. Later events without a number would hide the gap.
  private(set) var hasGap = false
  /// The connections that have sent events for it last.
  private(set) var feeders: [Feeder] = []
  /// The scroll requests for its client.
  var requests = SessionRequests()
  /// The connection whose end closes the session.
  var owner: Feeder?
  /// When the session closes unless its client opens it again, by the monotonic clock, because its connection is gone.
  var closeDue: Int64?
  private var pending: [PendingRun] = []

  /// How much memory the daemon needs for it at most, in bytes.
  let size: Int

  /// How much memory a session takes at most beside the texts of its opening, in bytes: the positions of 256 calls (6 KiB),
  /// the state, and copies of the state for queries.
  static let baseSize = 11 << 10

  /// Returns how much memory a session with an opening takes at most, in bytes.
  static func size(of opening: Opening) -> Int {
    [opening.client.name.text, opening.application, opening.title].reduce(baseSize) { $0 + ($1?.utf8.count ?? 0) }
  }

  /// Creates a session whose opening was just accepted.
  init(id: SessionID, _ opening: Opening, heard: Int64) {
    self.id = id
    shownID = opening.givenID ?? id
    client = opening.client
    account = opening.client.user
    isImported = opening.isImported
    size = Self.size(of: opening)
    nextNumber = 1
    lastHeard = heard
  }

  /// Creates a session that is on disk.
  init(id: SessionID, _ opening: Opening, nextNumber: Int64, lastHeard: Int64) {
    self.id = id
    shownID = opening.givenID ?? id
    client = opening.client
    account = opening.client.user
    isImported = opening.isImported
    size = Self.size(of: opening)
    self.nextNumber = nextNumber
    self.lastHeard = lastHeard
  }

  /// What its user calls it.
  var name: SessionName { SessionName(user: client.user, id: shownID) }

  /// What the user who imports it calls it.
  var importedName: SessionName? { importer.map { SessionName(user: $0, id: shownID) } }

  var hasPendingRuns: Bool { !pending.isEmpty }

  /// Records that events were accepted, the first at a position.
  ///
  /// - Returns: Whether they are the session's only pending events.
  func accept(_ count: Int, at firstPosition: Position, isOneway: Bool) -> Bool {
    pending.append(
      PendingRun(firstNumber: nextNumber, firstPosition: firstPosition, count: Int64(count), isOneway: isOneway))
    nextNumber += Int64(count)
    return pending.count == 1
  }

  /// Records that everything up to a position is on disk.
  func commit(through position: Position) {
    pending.removeAll { $0.firstPosition <= position }
  }

  /// Drops everything that was accepted and is not on disk.
  func revert(toNextNumber number: Int64) {
    if pending.contains(where: \.isOneway) { setGap(true) }
    pending = []
    nextNumber = number
    requests.revert()
  }

  // MARK: Feeders

  /// How many connections are remembered.
  ///
  /// An app feeds a session over one. Closing the session visits each, so that somebody who feeds hundreds of sessions over
  /// hundreds of connections could make everybody wait.
  static let maximumFeeders = 16

  /// Records that a connection has sent events for it, in the place of the one that was first to do so if they are many.
  func add(_ feeder: Feeder) {
    if feeders.count == Self.maximumFeeders { feeders.removeFirst().evict(id) }
    feeders.append(feeder)
    feeder.setGap(id, hasGap)
  }

  /// Records that a connection is gone.
  func remove(_ feeder: Feeder) { feeders.removeAll { $0 === feeder } }

  /// Records whether it has a gap.
  func setGap(_ hasGap: Bool) {
    self.hasGap = hasGap
    for feeder in feeders { feeder.setGap(id, hasGap) }
  }

  /// Lets all connections forget it, since it is closed.
  func releaseFeeders() {
    for feeder in feeders { feeder.forget(id) }
    owner?.forget(id)
    feeders = []
    owner = nil
  }

  /// Returns the position of an accepted event that is not on disk.
  func pendingPosition(ofNumber number: Int64) -> Position? {
    for run in pending where number >= run.firstNumber && number < run.firstNumber + run.count {
      return run.firstPosition + (number - run.firstNumber)
    }
    return nil
  }
}
