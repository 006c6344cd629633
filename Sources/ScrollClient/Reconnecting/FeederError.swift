import ScrollModel

/// Why a feed does not accept events. It then accepts none of the call's events.
public enum FeederError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The queue is full, and no room came free in time.
  case full(capacity: Int)
  /// The event at an index of the call, 0 for the first, is invalid.
  case invalid(index: Int, EventProblem)
  /// The feed is closed.
  case closed

  /// The error as a message.
  public var description: String {
    switch self {
    case .full(let capacity): "\(capacity) events are already waiting for scrolld"
    case .invalid(let index, let problem): "event \(index): \(problem)"
    case .closed: "the feed is closed"
    }
  }
}
