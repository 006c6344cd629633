// Clocks that a test turns by hand.

@testable import ScrollService

/// Clocks that a test turns by hand: both go on together.
final class HandClock {
  /// Microseconds since the Unix epoch.
  var wall: Int64 = 1_700_000_000_000_000
  /// Microseconds since some moment.
  var monotonic: Int64 = 5_000_000

  func advance(seconds: Int64) {
    wall += seconds * 1_000_000
    monotonic += seconds * 1_000_000
  }

  var service: ServiceClock { ServiceClock(wall: { self.wall }, monotonic: { self.monotonic }) }
}
