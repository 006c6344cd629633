// The machine's clocks.

import Glibc

/// The machine's clocks, in microseconds.
enum Clock {
  /// Microseconds since the Unix epoch.
  @Sendable static func now() -> Int64 { read(CLOCK_REALTIME) }

  /// Microseconds since some moment, never going back.
  @Sendable static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It can fail only for a clock that doesn't exist.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
