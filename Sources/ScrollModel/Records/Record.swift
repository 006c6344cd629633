/// A record's place in the whole log: 1, 2, 3 … without gaps; 0 is before the first.
public typealias Position = Int64

/// A record of the log, without its session.
public enum Record: Equatable, Sendable {
  /// An event, and its place in its session: 1, 2, 3 …
  case event(Event, number: Int64)
  /// A session was opened.
  case open(Opening)
  /// A session was closed.
  case close(Closing)
  /// An observer asked the client to scroll.
  case request(ScrollRequest)
  /// The client answered a request.
  case response(ScrollResponse)
}
