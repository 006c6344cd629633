import Glibc

/// The machine's clocks, in microseconds.
public enum Clock {
  /// Returns the microseconds since the Unix epoch.
  @Sendable public static func wallMicroseconds() -> Int64 { read(CLOCK_REALTIME) }

  /// Returns the microseconds since some moment before the boot. They never go back.
  @Sendable public static func monotonicMicroseconds() -> Int64 { read(CLOCK_MONOTONIC) }

  /// Returns the microseconds since the boot, including the time that the machine was suspended. They never go back.
  @Sendable public static func bootMicroseconds() -> Int64 { read(CLOCK_BOOTTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It fails only for a clock that doesn't exist.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}

extension timespec {
  /// A span; zero for a negative one.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = max(.zero, duration).components
    self.init(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}

/// Returns at `moment`, not before (nanosleep(2)).
public func sleep(until moment: ContinuousClock.Instant) {
  while true {
    let left = moment - .now
    guard left > .zero else { return }
    var time = timespec(left)
    // A signal ends it early.
    nanosleep(&time, nil)
  }
}
