@testable import ScrollService

/// Clocks that only a test advances, both together.
final class HandClock {
  /// Microseconds since the Unix epoch.
  var wall: Int64 = 1_700_000_000_000_000
  /// Microseconds since some moment.
  var monotonic: Int64 = 5_000_000

  func advance(seconds: Int64) { advance(microseconds: seconds * 1_000_000) }

  func advance(microseconds: Int64) {
    wall += microseconds
    monotonic += microseconds
  }

  /// Sets the wall clock, as date(1) does.
  func jump(seconds: Int64) { wall += seconds * 1_000_000 }

  var service: ServiceClock {
    ServiceClock(wall: { self.wall }, monotonic: { self.monotonic }, boot: { self.monotonic })
  }
}
