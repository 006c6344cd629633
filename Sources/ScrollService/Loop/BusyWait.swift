/// Decides whether the loop looks for input for a moment before it lets the kernel put it to sleep.
///
/// To wake a thread takes longer than to handle an event. A client that sends its next call as soon as it has an answer is back
/// within some tens of microseconds, so it pays to look for it that long. Clients that send an event for each frame are not, and
/// for them the loop sleeps at once: a look that finds nothing is followed by many waits without one.
struct BusyWait {
  /// How long the loop looks, in microseconds.
  static let span: Int64 = 100
  /// The longest sleep after which looking would have been worthwhile, in microseconds; a part of it was the waking.
  private static let shortSleep: Int64 = 160
  /// How many short sleeps in a row show that the next wait will be short, too.
  private static let proof = 4
  /// How many more of them are asked for after a look that found nothing.
  private static let penalty = 32

  /// How many short sleeps are still to come before the loop looks.
  private var missing = Self.proof
  private let isPossible: Bool

  /// - Parameter processors: The number of processors that the machine has. With a single one, to look for input would keep the
  ///   client from sending it.
  init(processors: Int) { isPossible = processors > 1 }

  /// Whether to look before the next sleep.
  var isWorthwhile: Bool { isPossible && missing <= 0 }

  /// Takes note of a look that has found nothing.
  mutating func lookedInVain() { missing = Self.proof + Self.penalty }

  /// Takes note of a sleep without a look before it.
  mutating func slept(_ microseconds: Int64) {
    missing = microseconds <= Self.shortSleep ? missing - 1 : max(missing, Self.proof)
  }
}
