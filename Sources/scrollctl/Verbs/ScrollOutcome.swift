import ScrollClient
import ScrollModel

/// The outcome of a scroll request.
enum ScrollOutcome: Equatable {
  /// The client has scrolled.
  case done
  /// The client has not scrolled. The reason is text for people.
  case refused(reason: String?)
  /// The session ended without a response.
  case closed
  /// No response came in time.
  case unanswered
  /// The caller may control this client, but may not read its records.
  case unseen

  /// The name in JSON.
  var name: String {
    switch self {
    case .done: "done"
    case .refused: "refused"
    case .closed: "closed"
    case .unanswered: "unanswered"
    case .unseen: "unseen"
    }
  }

  /// Waits until the log has a request's outcome.
  ///
  /// - Parameters:
  ///   - request: The request's position.
  ///   - client: The client that was asked.
  ///   - user: The client's user id, if the command line has it.
  static func wait(
    for request: Position, to client: String, user: UInt32?, at address: ServiceAddress,
    until deadline: ContinuousClock.Instant
  ) throws -> ScrollOutcome {
    var query = LogQuery()
    query.client = client
    query.user = user
    query.after = request - 1
    let follower = try LogFollower(query, at: address)
    do {
      var session: SessionID?
      // What the log already has counts, however short the deadline.
      var timeout: Duration?
      while case .element(let update) = try follower.next(timeout: timeout) {
        switch update {
        case .entry(let entry):
          if entry.position == request { session = entry.session }
          if entry.session == session, let outcome = outcome(of: request, in: entry.record) { return outcome }
          if timeout == nil { continue }
        case .caughtUp:
          // The log has the request. A caller who cannot see it there will not see the response either.
          if session == nil { return .unseen }
        }
        timeout = max(.zero, deadline - .now)
      }
      return .unanswered
    } catch {
      // Not a pattern of the catch clause: Swift 6.0's compiler crashes on it here.
      guard case ServiceError.refused(.permissionDenied) = error else { throw error }
      return .unseen
    }
  }

  private static func outcome(of request: Position, in record: LogEntry.Record) -> ScrollOutcome? {
    switch record {
    case .response(let response) where response.request == request:
      response.done ? .done : .refused(reason: response.reason)
    case .close: .closed
    default: nil
    }
  }
}
