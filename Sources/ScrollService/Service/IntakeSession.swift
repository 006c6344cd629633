// An open session as the intake of events sees it, ahead of what is on disk.

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
  /// Requests that the client has not answered yet, in order.
  var requests: [(position: Position, request: ScrollRequest)] = []
  /// The stream over which the client hears of requests.
  var requestStream: RequestStream?

  init(id: SessionID, client: ClientID, nextNumber: Int64, lastReceived: Int64) {
    self.id = id
    self.client = client
    self.nextNumber = nextNumber
    self.lastReceived = lastReceived
  }

  /// Where an event stands that was accepted and is not on disk yet.
  func pendingPosition(ofNumber number: Int64) -> Position? {
    for run in pending where number >= run.firstNumber && number < run.firstNumber + run.count {
      return run.firstPosition + (number - run.firstNumber)
    }
    return nil
  }
}
