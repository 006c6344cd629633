// Waiting for a moment.

import Glibc

/// Waiting for a moment.
enum Pause {
  /// Returns when the moment has come.
  static func until(_ moment: ContinuousClock.Instant) {
    while true {
      let left = moment - .now
      guard left > .zero else { return }
      let (seconds, attoseconds) = left.components
      var span = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      nanosleep(&span, nil)
    }
  }
}
