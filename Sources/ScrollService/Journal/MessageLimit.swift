/// A rate limit for messages that clients can cause, so that they can't flood the journal.
struct MessageLimit {
  /// The number of messages that may be written in one span.
  static let burst = 20
  /// The length of a span, in microseconds.
  static let span: Int64 = 10_000_000

  private var spanEnd: Int64 = .min
  private var admitted = 0
  private var suppressed: Int64 = 0

  /// Returns whether another message may be written, and counts it as suppressed if not.
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

  /// Returns the number of messages suppressed since the last call, once their span is over; `nil` if there were none.
  mutating func takeSuppressed(_ now: Int64) -> Int64? {
    guard suppressed > 0, now >= spanEnd else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }
}
