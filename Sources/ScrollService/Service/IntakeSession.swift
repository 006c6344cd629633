// An open session as the intake of events sees it, ahead of what is on disk.

import ScrollLog
import ScrollModel

/// An open session as the intake sees it: with all that was accepted, on disk or not yet.
final class IntakeSession {
  /// Events that were accepted and are not on disk yet.
  struct PendingRun {
    var firstNumber: Int64
    var firstPosition: Position
    var count: Int64
    /// Nobody hears of its refusal.
    var isOneway: Bool
  }

  let id: SessionID
  let client: ClientID
  /// The number that the next event gets.
  var nextNumber: Int64
  /// When the last record came, by the daemon's clock.
  var lastReceived: Int64
  /// A oneway call was refused: what follows without a number would leave a gap that nobody sees.
  var isGapped = false
  /// Runs whose block is not on disk yet, in order.
  var pending: [PendingRun] = []
  /// Requests on disk whose answer is not, in order.
  private(set) var requests: [(position: Position, request: ScrollRequest)] = []
  /// Those of them whose answer is accepted.
  private var answered: Set<Position> = []
  /// How many requests were accepted whose answer is not on disk.
  private(set) var requestCount = 0
  /// The stream over which the client hears of requests.
  var requestStream: RequestStream?
  /// The connection with which the session ends.
  var owner: Connection.ID?
  /// When the session is closed unless it is opened again before, by the monotonic clock: its connection is gone.
  var closeDue: Int64?

  /// A session that begins.
  init(id: SessionID, client: ClientID, received: Int64) {
    self.id = id
    self.client = client
    nextNumber = 1
    lastReceived = received
  }

  /// A session that is on disk.
  init(_ session: Session) {
    id = session.id
    client = session.client
    nextNumber = session.nextNumber
    lastReceived = session.lastReceived
  }

  /// Drops all that was accepted and is not on disk.
  func revert(to session: Session) {
    isGapped = isGapped || pending.contains { $0.isOneway }
    pending = []
    nextNumber = session.nextNumber
    answered = []
    requestCount = requests.count
  }

  // MARK: Requests

  /// A request for the client was accepted.
  func acceptRequest() {
    requestCount += 1
  }

  /// A request for the client is on disk.
  func add(_ request: ScrollRequest, at position: Position) {
    requests.append((position, request))
  }

  /// The client's answer to a request was accepted.
  ///
  /// - Returns: false when the session has no such request, or it is answered already.
  func acceptResponse(to position: Position) -> Bool {
    guard requests.contains(where: { $0.position == position }) else { return false }
    return answered.insert(position).inserted
  }

  /// The client's answer to a request is on disk.
  func removeRequest(at position: Position) {
    guard let index = requests.firstIndex(where: { $0.position == position }) else { return }
    requests.remove(at: index)
    answered.remove(position)
    requestCount -= 1
  }

  /// The requests on disk that are not answered.
  var unansweredRequests: [RequestsState.Unanswered] {
    requests.filter { !answered.contains($0.position) }.map { .init(position: $0.position, request: $0.request) }
  }

  /// Takes over requests that another daemon had found on disk, and that are not answered.
  func restore(_ unanswered: [RequestsState.Unanswered]) {
    for entry in unanswered where !requests.contains(where: { $0.position == entry.position }) {
      requests.append((entry.position, entry.request))
      requestCount += 1
    }
  }

  /// The first request past a position that is not answered.
  func firstRequest(after position: Position) -> (position: Position, request: ScrollRequest)? {
    requests.first { $0.position > position && !answered.contains($0.position) }
  }

  // MARK: Events

  /// Where an event stands that was accepted and is not on disk yet.
  func pendingPosition(ofNumber number: Int64) -> Position? {
    for run in pending where number >= run.firstNumber && number < run.firstNumber + run.count {
      return run.firstPosition + (number - run.firstNumber)
    }
    return nil
  }
}
