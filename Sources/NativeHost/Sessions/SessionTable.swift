import ScrollModel

/// The browser's sessions, in the order of their opening, which is the order in which the daemon has to hear of them: a client's
/// next session closes the one before it.
struct SessionTable {
  /// The most bytes of events that wait for the daemon.
  let maximumQueuedBytes: Int
  private var sessions: [SessionID: BridgedSession] = [:]
  private var order: [SessionID] = []
  /// The bytes of all queues.
  private(set) var queuedBytes = 0

  init(maximumQueuedBytes: Int) { self.maximumQueuedBytes = maximumQueuedBytes }

  /// The ids, in the order of the openings.
  var ids: [SessionID] { order }

  /// The events that the browser has yet to send again.
  var refusedEvents: Int { sessions.values.reduce(0) { $0 + $1.refusedEvents } }

  /// The events of all queues.
  var queuedEvents: Int { sessions.values.reduce(0) { $0 + $1.queuedEvents } }

  /// Whether nothing waits for the daemon: no events, no closing.
  var isSettled: Bool { sessions.values.allSatisfy { $0.queue.isEmpty && $0.close == nil } }

  /// The first parts of the clients' names.
  var prefixes: Set<String> { Set(sessions.values.map(\.opening.prefix)) }

  subscript(id: SessionID) -> BridgedSession? { sessions[id] }

  /// Adds a session; returns `false` when it is there already.
  mutating func add(_ opening: SessionOpening) -> Bool {
    guard sessions[opening.session] == nil else { return false }
    sessions[opening.session] = BridgedSession(opening)
    order.append(opening.session)
    return true
  }

  /// Whether a batch fits into what may wait for the daemon. Any batch fits if nothing waits.
  func hasRoom(for batch: EventBatch) -> Bool {
    queuedBytes == 0 || queuedBytes + batch.json.count <= maximumQueuedBytes
  }

  /// Changes a session, if it is there.
  @discardableResult
  mutating func update<Result>(_ id: SessionID, _ change: (inout BridgedSession) -> Result) -> Result? {
    guard var session = sessions[id] else { return nil }
    let before = session.queuedBytes
    let result = change(&session)
    queuedBytes += session.queuedBytes - before
    sessions[id] = session
    return result
  }

  /// Removes a session.
  @discardableResult
  mutating func remove(_ id: SessionID) -> BridgedSession? {
    guard let session = sessions.removeValue(forKey: id) else { return nil }
    queuedBytes -= session.queuedBytes
    order.removeAll { $0 == id }
    return session
  }

  /// Records that the connection to the daemon is over.
  mutating func detachAll() {
    for id in order { update(id) { $0.detach() } }
  }
}
