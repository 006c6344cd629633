import ScrollModel

/// A call on the connection that feeds. The daemon replies in the order of the calls.
enum FeedCall {
  case open(SessionID, attempt: Int)
  case append(SessionID, attempt: Int)
  case close(SessionID, attempt: Int)
  case respond(SessionID, request: Int64)

  var session: SessionID {
    switch self {
    case .open(let session, _), .append(let session, _), .close(let session, _), .respond(let session, _): session
    }
  }

  /// The attempt of its session that it belongs to; `nil` for one that belongs to none.
  var attempt: Int? {
    switch self {
    case .open(_, let attempt), .append(_, let attempt), .close(_, let attempt): attempt
    case .respond: nil
    }
  }
}
