// How a long start gets ahead.

import Synchronization

/// How a long start gets ahead: counts the bytes that recovery reads and writes, and says when it is time to tell.
final class StartProgress: Sendable {
  /// How often it is told, in microseconds: well within what a service manager allows for a start.
  static let interval: Int64 = 10_000_000

  private struct Standing {
    var bytes: Int64 = 0
    var lastTold: Int64
    var hasEnded = false
  }

  private let standing: Mutex<Standing>

  /// A start that begins.
  ///
  /// - Parameter began: The monotonic clock, in microseconds.
  init(began: Int64) {
    standing = Mutex(Standing(lastTold: began))
  }

  /// Counts bytes that were read or written.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  /// - Returns: How many there were by now, when that is to be told; else `nil`.
  func moved(_ bytes: Int, at now: @autoclosure () -> Int64) -> Int64? {
    standing.withLock { standing in
      if standing.hasEnded { return nil }
      standing.bytes += Int64(bytes)
      let now = now()
      guard now - standing.lastTold >= Self.interval else { return nil }
      standing.lastTold = now
      return standing.bytes
    }
  }

  /// The start is over: nothing is told any more.
  func end() {
    standing.withLock { $0.hasEnded = true }
  }
}
