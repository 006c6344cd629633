// How a long start gets ahead.

import Synchronization

/// How a long start gets ahead: counts the bytes that recovery reads and writes, and says when it is time to tell.
final class StartProgress: Sendable {
  /// When it is told first, in microseconds after the start began: before even an impatient service manager gives up, and
  /// after what nobody would call long.
  static let firstAfter: Int64 = 1_000_000
  /// How often it is told then, in microseconds: well within what is asked for each time.
  static let interval: Int64 = 10_000_000

  private struct Standing {
    var bytes: Int64 = 0
    var nextDue: Int64
    var hasEnded = false
  }

  private let standing: Mutex<Standing>

  /// A start that begins.
  ///
  /// - Parameter began: The monotonic clock, in microseconds.
  init(began: Int64) {
    standing = Mutex(Standing(nextDue: began + Self.firstAfter))
  }

  /// Whether it is over.
  var hasEnded: Bool { standing.withLock { $0.hasEnded } }

  /// Counts bytes that were read or written.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  /// - Returns: How many there were by now, when that is to be told; else `nil`.
  func moved(_ bytes: Int, at now: @autoclosure () -> Int64) -> Int64? {
    standing.withLock { standing in
      if standing.hasEnded { return nil }
      standing.bytes += Int64(bytes)
      let now = now()
      guard now >= standing.nextDue else { return nil }
      standing.nextDue = now + Self.interval
      return standing.bytes
    }
  }

  /// The start is over: nothing is told any more.
  func end() {
    standing.withLock { $0.hasEnded = true }
  }
}
