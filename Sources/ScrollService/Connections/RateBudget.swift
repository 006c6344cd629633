/// How much of something a user may still send, such as events or bytes: a token bucket that fills in one second.
///
/// Each call is charged in full as long as anything is left, so the budget may become negative. It is then *spent*
/// until a hundredth of a second's worth has accumulated. The rate therefore holds over any longer time, and waiting
/// connections don't wake for every single event.
struct RateBudget {
  /// Millionths of an event or byte, so that microseconds times a rate are exact.
  private var credit: Int64
  /// When credit was last added, by the monotonic clock.
  private var refilled: Int64
  /// Whether nothing is left, so that the user's connections are throttled.
  private(set) var isSpent = false

  /// Creates a full budget.
  ///
  /// - Parameters:
  ///   - rate: The amount per second, at most 2^40.
  ///   - now: The monotonic clock, in microseconds.
  init(rate: Int, now: Int64) {
    credit = Int64(rate) * 1_000_000
    refilled = now
  }

  /// Charges the budget.
  mutating func spend(_ count: Int, rate: Int, now: Int64) {
    refill(rate: rate, now: now)
    credit -= Int64(count) * 1_000_000
    if credit <= 0 { isSpent = true }
  }

  /// Adds the credit for the time that has passed.
  mutating func refill(rate: Int, now: Int64) {
    let rate = Int64(rate)
    let full = rate * 1_000_000
    let elapsed = max(0, now - refilled)
    refilled = now
    // The first condition keeps the product of the second one small.
    credit = elapsed > (full - credit) / rate ? full : min(full, credit + elapsed * rate)
    if credit >= Self.renewalCredit(rate) { isSpent = false }
  }

  /// When the budget stops being spent, by the monotonic clock.
  func due(rate: Int) -> Int64 {
    let missing = Self.renewalCredit(Int64(rate)) - credit
    return missing <= 0 ? refilled : refilled + (missing + Int64(rate) - 1) / Int64(rate)
  }

  /// Whether the budget is full by now.
  func isFull(rate: Int, now: Int64) -> Bool {
    var budget = self
    budget.refill(rate: rate, now: now)
    return budget.credit >= Int64(rate) * 1_000_000
  }

  /// The credit at which a spent budget is renewed.
  private static func renewalCredit(_ rate: Int64) -> Int64 { max(1, rate / 100) * 1_000_000 }
}
