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

  /// The events that the browser has to send again, since there was no room for them.
  private var rejected = 0

  init(_ opening: SessionOpening) { self.opening = opening }

  /// The bytes of the queue.
  var queuedBytes: Int { queue.reduce(0) { $0 + $1.json.count } }
  /// The number of events in the queue.
  var queuedEvents: Int { queue.reduce(0) { $0 + $1.count } }

  /// Takes a batch from the browser, which may have sent it before.
  mutating func accept(_ batch: EventBatch) -> Acceptance {
    if let received {
      if batch.end <= received { return .duplicate }
      if batch.number > received { return .gap(expected: received) }
    }
    received = batch.end
    rejected = 0
    queue.append(batch)
    return .queued
  }

  /// Leaves a batch with the page.
  mutating func reject(_ batch: EventBatch) { rejected += batch.count }

  /// Asks to close the session after its events.
  ///
  /// - Returns: The number of rejected events, which no page has after this.
  mutating func close(time: Int64?) -> Int {
    defer { rejected = 0 }
    close = close ?? Close(time: time)
    return rejected
  }

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
