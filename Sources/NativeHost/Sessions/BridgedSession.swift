import ScrollModel

/// A session of the browser on its way to the daemon: what the daemon has not confirmed yet, in order.
///
/// Events keep the numbers that the page gave them. After a lost connection everything unconfirmed is sent again, and the daemon
/// skips what it has. So nothing is lost and nothing is stored twice, on whichever side the connection broke.
struct BridgedSession {
  /// Whether the daemon knows the session over the present connection.
  enum Phase: Equatable {
    /// To be opened over the next connection, or once the daemon may accept it.
    case detached
    /// `Open` was sent.
    case opening
    case open
  }

  /// What came of a batch from the browser.
  enum Acceptance: Equatable {
    /// It waits for the daemon's confirmation.
    case queued
    /// The daemon has, or will get, all of its events.
    case duplicate
    /// It has to be sent again: there is no room for it, or an earlier batch is to come first.
    case refused
    /// Events between the last one and this batch are missing.
    case gap(expected: Int64)
  }

  /// How a session ends for the browser.
  struct Close: Equatable {
    var time: Int64?
  }

  let opening: SessionOpening
  private(set) var phase = Phase.detached
  /// Which attempt to send this is. Replies to calls of earlier attempts say nothing about the present one.
  private(set) var attempt = 0
  private(set) var close: Close?
  /// The batches without confirmation.
  private(set) var queue: [EventBatch] = []
  /// The number after the last event that the daemon has confirmed; `nil` until it has confirmed one.
  private(set) var confirmed: Int64?
  /// The number after the last event that the browser has sent; `nil` until it has sent one.
  private var received: Int64?
  /// The numbers of the events that the browser has to send again, since there was no room for them. Later ones have to follow them.
  private(set) var refused: Range<Int64>?

  init(_ opening: SessionOpening) { self.opening = opening }

  /// The bytes of the queue.
  var queuedBytes: Int { queue.reduce(0) { $0 + $1.json.count } }
  /// The number of events in the queue.
  var queuedEvents: Int { queue.reduce(0) { $0 + $1.count } }

  /// The number of refused events that the browser has not sent again.
  var refusedEvents: Int { refused?.count ?? 0 }

  /// Takes a batch from the browser, which may have sent it before.
  mutating func accept(_ batch: EventBatch, hasRoom: Bool) -> Acceptance {
    if let received, batch.end <= received { return .duplicate }
    if let refused, batch.number > refused.lowerBound {
      self.refused = refused.lowerBound..<max(refused.upperBound, batch.end)
      return .refused
    }
    if let received, batch.number > received { return .gap(expected: received) }
    guard hasRoom else {
      refused = batch.number..<max(refused?.upperBound ?? 0, batch.end)
      return .refused
    }
    received = batch.end
    if let last = refused?.upperBound { refused = batch.end < last ? batch.end..<last : nil }
    queue.append(batch)
    return .queued
  }

  /// Asks to close the session after its events, all of which must have been accepted.
  mutating func close(time: Int64?) { close = close ?? Close(time: time) }

  /// Begins to send everything again.
  mutating func beginAttempt() {
    attempt += 1
    phase = .opening
  }

  /// Records that the daemon has opened the session, or continues it.
  mutating func confirmOpening(nextNumber: Int64) {
    phase = .open
    if nextNumber > 1 || confirmed != nil { confirm(before: nextNumber) }
  }

  /// Releases the events that the daemon has: all before a number.
  mutating func confirm(before number: Int64) {
    confirmed = number
    received = max(received ?? number, number)
    queue.removeAll { $0.end <= number }
  }

  /// Records that the connection, or the attempt, is over.
  mutating func detach() {
    attempt += 1
    phase = .detached
  }
}
