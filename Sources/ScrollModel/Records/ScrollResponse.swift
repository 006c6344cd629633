/// A client's answer to a scroll request.
public struct ScrollResponse: Equatable, Sendable {
  /// When it was given, in microseconds since the Unix epoch by the daemon's clock.
  public var time: Int64
  /// The request's position in the log.
  public var request: Position
  /// Whether the client scrolled.
  public var done: Bool
  /// Why the client did not scroll, for people.
  public var reason: String?

  /// Creates a response from its parts.
  public init(time: Int64, request: Position, done: Bool, reason: String? = nil) {
    self.time = time
    self.request = request
    self.done = done
    self.reason = reason
  }
}
