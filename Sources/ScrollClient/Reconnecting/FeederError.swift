import ScrollModel

/// Why a feed does not accept events, of which it then accepts none, or could not deliver them.
public enum FeederError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The queue is full, and no room came free in time.
  case full(capacity: Int)
  /// The event at an index of the call, 0 for the first, is invalid.
  case invalid(index: Int, EventProblem)
  /// The feed is closed.
  case closed
  /// The daemon has not acknowledged this many events, or the closing, in time.
  case notDelivered(count: Int)

  /// The error as a message.
  public var description: String {
    switch self {
    case .full(let capacity): "\(capacity) events are already waiting for scrolld"
    case .invalid(let index, let problem): "event \(index): \(problem)"
    case .closed: "the feed is closed"
    case .notDelivered(0): "scrolld has not acknowledged the end of the session in time"
    case .notDelivered(let count): "scrolld has not acknowledged \(count == 1 ? "1 event" : "\(count) events") in time"
    }
  }
}
