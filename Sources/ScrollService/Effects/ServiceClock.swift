// The clocks that the service goes by.

/// The clocks that the service goes by; tests crank them by hand.
public struct ServiceClock {
  /// Microseconds since the Unix epoch.
  public var wall: () -> Int64
  /// Microseconds since some moment, never backwards.
  public var monotonic: () -> Int64

  /// Clocks of two closures.
  public init(wall: @escaping () -> Int64, monotonic: @escaping () -> Int64) {
    self.wall = wall
    self.monotonic = monotonic
  }
}
