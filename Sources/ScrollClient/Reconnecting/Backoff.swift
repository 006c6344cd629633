/// The waits between attempts to connect. Each is twice as long as the one before, up to a cap. Jitter keeps the clients of a
/// restarted daemon from connecting all at once.
public struct Backoff: Equatable, Sendable {
  /// The first wait.
  public var first: Duration
  /// The longest wait.
  public var cap: Duration
  /// The number of failed attempts.
  private(set) var attempts = 0

  /// Creates waits between two bounds.
  public init(first: Duration = .milliseconds(100), cap: Duration = .seconds(30)) {
    self.first = first
    self.cap = cap
  }

  /// Returns the next wait. Jitter takes off up to half of it.
  ///
  /// - Parameter random: A number from 0 up to 1.
  mutating func next(random: Double) -> Duration {
    var wait = first
    for _ in 0..<attempts where wait < cap { wait *= 2 }
    attempts += 1
    return min(wait, cap) * (0.5 + random / 2)
  }

  /// Starts over with the first wait, after a connection that worked.
  mutating func reset() { attempts = 0 }
}
