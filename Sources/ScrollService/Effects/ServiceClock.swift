/// The clocks that the service uses; tests set them by hand.
public struct ServiceClock {
  /// Microseconds since the Unix epoch. The parts of the service get the one of ``LogClock``, which never jumps.
  public var wall: () -> Int64
  /// Microseconds since an arbitrary moment; never decreases.
  public var monotonic: () -> Int64
  /// Microseconds since the boot, including the time that the machine was suspended; never decreases.
  public var boot: () -> Int64
  /// Returns what ``wall`` showed a span ago, in microseconds; `Int64.min` for a span that no time lies before.
  var ago: (Int64) -> Int64

  /// Creates clocks that call closures.
  public init(wall: @escaping () -> Int64, monotonic: @escaping () -> Int64, boot: @escaping () -> Int64) {
    self.wall = wall
    self.monotonic = monotonic
    self.boot = boot
    ago = { span in
      let (time, overflow) = wall().subtractingReportingOverflow(span)
      return overflow ? .min : time
    }
  }
}
