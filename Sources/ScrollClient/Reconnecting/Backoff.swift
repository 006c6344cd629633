// How long to wait before the next attempt to connect.

/// How long to wait before the next attempt to connect: twice as long each time, up to a cap, and jittered, so that a
/// daemon that comes back is not met by all its clients at once.
public struct Backoff: Equatable, Sendable {
  /// The first wait.
  public var first: Duration
  /// The longest wait.
  public var cap: Duration
  /// How many attempts have failed.
  private(set) var attempts = 0

  /// Waits between two bounds.
  public init(first: Duration = .milliseconds(100), cap: Duration = .seconds(30)) {
    self.first = first
    self.cap = cap
  }

  /// The next wait: between half of what it would be without jitter, and that.
  ///
  /// - Parameter random: A number from 0 up to 1.
  mutating func next(random: Double) -> Duration {
    var wait = first
    for _ in 0..<attempts where wait < cap { wait *= 2 }
    attempts += 1
    return min(wait, cap) * (0.5 + random / 2)
  }

  /// A connection stood: the next wait is the first one again.
  mutating func reset() { attempts = 0 }
}
