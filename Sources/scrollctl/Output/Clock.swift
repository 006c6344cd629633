// The time of day.

import Glibc

/// The time of day.
enum Clock {
  /// Microseconds since the Unix epoch.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
