import ScrollModel

/// The scroll requests for the client of one session.
struct SessionRequests {
  /// How many requests may wait for the client's responses.
  static let limit = 1024

  /// The connection whose stream sends the requests to the client.
  var reader: ConnectionID?
  /// The requests on disk whose responses are not, in order.
  private var onDisk: [RequestsState.Unanswered] = []
  /// The requests on disk whose responses are accepted.
  private var answered: Set<Position> = []
  /// The number of accepted requests whose responses are not on disk.
  private(set) var count = 0

  /// Whether the client reads its requests and has not left too many of them unanswered.
  var isAccepting: Bool { reader != nil && count < Self.limit }

  /// Records that a request was accepted.
  mutating func accept() { count += 1 }

  /// Adds a request that is on disk.
  mutating func add(_ request: ScrollRequest, at position: Position) {
    onDisk.append(.init(position: position, request: request))
  }

  /// Records that the client's response to a request was accepted.
  ///
  /// - Returns: Whether the request exists and had no response.
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

  /// Adds the unanswered requests that the previous daemon handed over.
  mutating func restore(_ unanswered: [RequestsState.Unanswered]) {
    for entry in unanswered where !onDisk.contains(where: { $0.position == entry.position }) {
      onDisk.append(entry)
      count += 1
    }
    onDisk.sort { $0.position < $1.position }
  }

  /// The requests on disk that have no response.
  var unanswered: [RequestsState.Unanswered] { onDisk.filter { !answered.contains($0.position) } }

  /// Returns the first request after a position that has no response.
  func first(after position: Position) -> RequestsState.Unanswered? {
    // They are in the order of their positions.
    var low = 0
    var high = onDisk.count
    while low < high {
      let middle = (low + high) / 2
      if onDisk[middle].position <= position { low = middle + 1 } else { high = middle }
    }
    return onDisk[low...].first { !answered.contains($0.position) }
  }
}
