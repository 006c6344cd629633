// Keeps what clients can provoke from filling the journal.

/// Lets some messages through and counts the others: for messages that clients bring about.
struct MessageLimit {
  /// How many messages get through in one span.
  static let burst = 20
  /// How long a span is, in microseconds.
  static let span: Int64 = 10_000_000

  private var spanEnd: Int64 = .min
  private var admitted = 0
  private var suppressed: Int64 = 0

  /// Whether one more message may be written.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  mutating func admits(_ now: Int64) -> Bool {
    if now >= spanEnd {
      spanEnd = now + Self.span
      admitted = 0
    }
    admitted += 1
    if admitted <= Self.burst { return true }
    suppressed += 1
    return false
  }

  /// How many messages were held back since this was asked last, once their span is over; `nil` when there were none.
  mutating func takeSuppressed(_ now: Int64) -> Int64? {
    guard suppressed > 0, now >= spanEnd else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }
}
