/// The clocks that the service uses; tests set them by hand.
public struct ServiceClock {
  /// Microseconds since the Unix epoch.
  public var wall: () -> Int64
  /// Microseconds since an arbitrary moment; never decreases.
  public var monotonic: () -> Int64

  /// Creates clocks that call two closures.
  public init(wall: @escaping () -> Int64, monotonic: @escaping () -> Int64) {
    self.wall = wall
    self.monotonic = monotonic
  }
}
