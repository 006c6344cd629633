// Waits for a moment.

import Glibc

/// Waits for a moment.
enum Pause {
  /// Returns at a moment, not before it.
  static func wait(until moment: ContinuousClock.Instant) {
    while true {
      let (seconds, attoseconds) = (moment - .now).components
      guard seconds > 0 || attoseconds > 0 else { return }
      var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      // A signal ends it early.
      nanosleep(&time, nil)
    }
  }
}
