import Synchronization

/// The progress of a start: counts the bytes that recovery reads and writes, and determines when to report them.
final class StartProgress: Sendable {
  /// When the first report is due, in microseconds after the start began: early enough even for a short time limit of
  /// the service manager, and too late for an ordinary start.
  static let firstAfter: Int64 = 1_000_000
  /// The time between later reports, in microseconds: much less than each report requests.
  static let interval: Int64 = 10_000_000

  private struct State {
    var bytes: Int64 = 0
    var nextDue: Int64
    var hasEnded = false
  }

  private let state: Mutex<State>

  /// Begins to count.
  ///
  /// - Parameter began: The monotonic clock, in microseconds.
  init(began: Int64) {
    state = Mutex(State(nextDue: began + Self.firstAfter))
  }

  /// Whether the start is over.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Counts bytes that were read or written.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  /// - Returns: The total if a report is due; otherwise `nil`.
  func add(_ bytes: Int, at now: @autoclosure () -> Int64) -> Int64? {
    state.withLock { state in
      if state.hasEnded { return nil }
      state.bytes += Int64(bytes)
      let now = now()
      guard now >= state.nextDue else { return nil }
      state.nextDue = now + Self.interval
      return state.bytes
    }
  }

  /// Ends the start, after which no report is due.
  func end() {
    state.withLock { $0.hasEnded = true }
  }
}
