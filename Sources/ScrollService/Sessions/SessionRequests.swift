import ScrollModel

/// The scroll requests for the client of one session.
struct SessionRequests {
  /// How many requests may wait for the client's answers.
  static let limit = 1024

  /// The connection whose stream reports the requests to the client.
  var reader: ConnectionID?
  /// The requests on disk whose responses are not, in order.
  private var onDisk: [RequestsState.Unanswered] = []
  /// Those of them whose responses are accepted.
  private var answered: Set<Position> = []
  /// Requests that were accepted and whose responses are not on disk.
  private var count = 0

  /// Whether a request would reach a client that answers its requests.
  var isAccepting: Bool { reader != nil && count < Self.limit }

  /// Records that a request was accepted.
  mutating func accept() { count += 1 }

  /// Adds a request that is on disk.
  mutating func add(_ request: ScrollRequest, at position: Position) {
    onDisk.append(.init(position: position, request: request))
  }

  /// Records that the client's response to a request was accepted.
  ///
  /// - Returns: Whether there is such a request without a response.
  mutating func acceptResponse(to position: Position) -> Bool {
    guard onDisk.contains(where: { $0.position == position }) else { return false }
    return answered.insert(position).inserted
  }

  /// Removes a request whose response is on disk.
  mutating func remove(at position: Position) {
    guard let index = onDisk.firstIndex(where: { $0.position == position }) else { return }
    onDisk.remove(at: index)
    answered.remove(position)
    count -= 1
  }

  /// Drops everything that is not on disk.
  mutating func revert() {
    answered = []
    count = onDisk.count
  }

  /// Adds the unanswered requests that an earlier daemon handed over.
  mutating func restore(_ unanswered: [RequestsState.Unanswered]) {
    for entry in unanswered where !onDisk.contains(where: { $0.position == entry.position }) {
      onDisk.append(entry)
      count += 1
    }
  }

  /// The requests on disk that have no response.
  var unanswered: [RequestsState.Unanswered] { onDisk.filter { !answered.contains($0.position) } }

  /// The first such request past a position.
  func first(after position: Position) -> RequestsState.Unanswered? {
    onDisk.first { $0.position > position && !answered.contains($0.position) }
  }
}
