// What became of a scroll request.

import ScrollClient
import ScrollJSON
import ScrollModel

/// What became of a scroll request, as far as it can be told.
enum ScrollOutcome: Equatable {
  /// The client has scrolled.
  case done
  /// The client has not scrolled; the reason is for people.
  case refused(reason: String?)
  /// The session ended without a response.
  case closed
  /// No response came in time.
  case unanswered
  /// The log's records of this client are not for the caller to read: to control is not to observe.
  case unseen

  /// Its name for programs.
  var name: String {
    switch self {
    case .done: "done"
    case .refused: "refused"
    case .closed: "closed"
    case .unanswered: "unanswered"
    case .unseen: "unseen"
    }
  }

  /// Waits for what the log tells of a request.
  ///
  /// - Parameters:
  ///   - request: The request's position.
  ///   - client: The client that was asked.
  ///   - user: Its user id, where the command line says.
  init(
    of request: Position, to client: String, user: UInt32?, at address: ServiceAddress,
    until deadline: ContinuousClock.Instant
  ) throws {
    var query = LogQuery()
    query.client = client
    query.user = user
    query.after = request - 1
    let follower = try LogFollower(query, at: address)
    var session: SessionID?
    var outcome: ScrollOutcome?
    repeat {
      do {
        try follower.read { entry in
          if entry.position == request { session = entry.session }
          if outcome == nil, entry.session == session { outcome = Self.told(by: entry.record, of: request) }
        }
      } catch ServiceError.refused(.permissionDenied) {
        self = .unseen
        return
      }
      // The request is in the log: who can't read it there won't read the response either.
      if session == nil { outcome = .unseen }
    } while try outcome == nil && follower.wait(until: deadline)
    self = outcome ?? .unanswered
  }

  private static func told(by record: RecordingLine, of request: Position) -> ScrollOutcome? {
    switch record {
    case .response(let response) where response.request == request:
      response.done ? .done : .refused(reason: response.reason)
    case .close: .closed
    default: nil
    }
  }
}
