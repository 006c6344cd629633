// What the log holds: events, and what stands around them.

/// A record's place in the whole log: 1, 2, 3 …, never skipped; 0 is before the first.
public typealias Position = Int64

/// One record of the log, without its session.
public enum Record: Equatable, Sendable {
  /// An event and its place in its session: 1, 2, 3 …
  case event(Event, number: Int64)
  /// A session began.
  case open(Opening)
  /// A session ended.
  case close(Closing)
  /// Somebody asked the client to scroll.
  case request(ScrollRequest)
  /// The client's answer to a request.
  case response(ScrollResponse)
}
