// Why events are not taken.

import ScrollModel

/// Why events are not taken: none of the call are.
public enum FeederError: Error, Equatable, Sendable, CustomStringConvertible {
  /// As many events wait for the daemon as may, and no room came in time.
  case full(capacity: Int)
  /// The event at an index of the call, 0 for the first, is none.
  case invalid(index: Int, EventProblem)
  /// The feed is closed.
  case closed

  /// The text for people.
  public var description: String {
    switch self {
    case .full(let capacity): "\(capacity) events wait for scrolld already"
    case .invalid(let index, let problem): "event \(index): \(problem)"
    case .closed: "the feed is closed"
    }
  }
}
