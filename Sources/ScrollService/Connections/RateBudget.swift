// How much of something a user may still send: a token bucket.

/// How much of something a user may still send, be it events or bytes: a token bucket that a second fills.
///
/// What comes in one piece is taken whole while there is anything left, so the budget may fall below nothing; then it is *spent*, and stays so
/// until a hundredth of a second's worth is there again. So the rate holds over any longer time, and whoever has to wait
/// is not woken for every single one.
struct RateBudget {
  /// Millionths of one, so that microseconds times a rate are exact.
  private var credit: Int64
  /// When the credit was counted last, by the monotonic clock.
  private var counted: Int64
  /// Nothing is left, and whoever wants to send has to wait.
  private(set) var isSpent = false

  /// A full budget.
  ///
  /// - Parameters:
  ///   - rate: How many a second, at most 2^40.
  ///   - now: The monotonic clock, in microseconds.
  init(rate: Int, now: Int64) {
    credit = Int64(rate) * 1_000_000
    counted = now
  }

  /// Takes some out of the budget.
  mutating func spend(_ count: Int, rate: Int, now: Int64) {
    refill(rate: rate, now: now)
    credit -= Int64(count) * 1_000_000
    if credit <= 0 { isSpent = true }
  }

  /// Adds what the time that has passed brings.
  mutating func refill(rate: Int, now: Int64) {
    let rate = Int64(rate)
    let full = rate * 1_000_000
    let elapsed = max(0, now - counted)
    counted = now
    // The first condition keeps the product of the second one small.
    credit = elapsed > (full - credit) / rate ? full : min(full, credit + elapsed * rate)
    if credit >= Self.worthwhile(rate) { isSpent = false }
  }

  /// When it is no longer spent, by the monotonic clock.
  func due(rate: Int) -> Int64 {
    let missing = Self.worthwhile(Int64(rate)) - credit
    return missing <= 0 ? counted : counted + (missing + Int64(rate) - 1) / Int64(rate)
  }

  /// Whether it is as full as one that begins by now.
  func isFull(rate: Int, now: Int64) -> Bool {
    var budget = self
    budget.refill(rate: rate, now: now)
    return budget.credit >= Int64(rate) * 1_000_000
  }

  private static func worthwhile(_ rate: Int64) -> Int64 { max(1, rate / 100) * 1_000_000 }
}
