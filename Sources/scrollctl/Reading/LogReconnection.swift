import Platform
import ScrollClient
import ScrollModel

/// Waits for a daemon that is absent or restarts, and finds where to continue to follow its log.
struct LogReconnection {
  private let address: ServiceAddress
  private let output: Output
  private let note: (String) throws -> Void
  /// The log's generation, once the daemon has answered.
  private var generation: Int64?

  /// - Parameter note: Prints a line about the output itself.
  init(to address: ServiceAddress, _ output: Output, note: @escaping (String) throws -> Void) {
    self.address = address
    self.output = output
    self.note = note
  }

  /// Waits until the daemon answers.
  ///
  /// - Parameters:
  ///   - position: The last position that was shown; `nil` without one.
  ///   - isAway: Whether the loss of the daemon has been reported.
  /// - Returns: The position to continue after; without a last one, the log's last position.
  mutating func wait(after position: Position? = nil, isAway: Bool = false) throws -> Position {
    var query = SubscriptionQuery()
    // The name of hardly any client: what is asked for is how far the log is.
    query.clients = ["/"]
    query.after = position
    query.generation = position == nil ? nil : generation
    let watcher = Watcher(query, at: address, backoff: Verb.backoff)
    var (isAway, place) = (isAway, position)
    while true {
      // A watcher never ends.
      let next = try output.wait { watcher.next(timeout: $0 ?? .seconds(86_400)) }
      guard case .element(let update) = next else { continue }
      switch update {
      case .connected: break
      case .away(let error):
        if generation == nil, !error.mayPass { throw error }
        if !isAway { try noteAway(error) }
        isAway = true
      case .positionLost(let refusal):
        try note("records may be missing: \(visible(refusal.description))")
        place = Self.place(after: refusal)
      case .refused(let refusal): throw ServiceError.refused(refusal)
      case .reply(let reply):
        guard case .caughtUp(let generation) = reply.content else { continue }
        let isFirst = self.generation == nil
        self.generation = generation
        if isAway { try note(isFirst ? "connected" : "the daemon is back") }
        return place ?? reply.position
      }
    }
  }

  /// Reports the loss of a connection, and waits until the daemon is back.
  ///
  /// - Returns: The position to continue after, as ``wait(after:isAway:)``.
  mutating func resume(after position: Position?, lost error: ServiceError) throws -> Position {
    try noteAway(error)
    // A daemon that ends each connection at once is not asked again and again.
    Platform.sleep(until: .now + .milliseconds(100))
    return try wait(after: position, isAway: true)
  }

  private func noteAway(_ error: ServiceError) throws {
    try note("waiting for the daemon: \(visible(error.description))")
  }

  /// The position after which the log continues when it no longer has the last one; `nil` for its end.
  private static func place(after refusal: ServiceRefusal) -> Position? {
    switch refusal {
    case .positionTakenBack(let last): last
    case .positionTrimmed(let first): first - 1
    case .logDamaged(_, _, let next?, _): next - 1
    default: nil
    }
  }
}

extension ServiceError {
  /// Whether the daemon may come back after this end of a connection.
  var isLoss: Bool {
    switch self {
    case .connectionLost, .timedOut: true
    case .cannotConnect: mayPass
    default: false
    }
  }
}
