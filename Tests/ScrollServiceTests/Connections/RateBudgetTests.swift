import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct RateBudgetTests {
  @Test func aSecondsWorthCanBeSpentAtOnceAndTheLastEventOfItSpendsTheBudget() {
    var budget = RateBudget(rate: 1000, now: 0)
    budget.spend(999, rate: 1000, now: 0)
    #expect(!budget.isSpent)
    budget.spend(1, rate: 1000, now: 0)
    #expect(budget.isSpent)
    // A hundredth of a second's worth, to the microsecond.
    #expect(budget.due(rate: 1000) == 10_000)
    budget.refill(rate: 1000, now: 9_999)
    #expect(budget.isSpent)
    budget.refill(rate: 1000, now: 10_000)
    #expect(!budget.isSpent)
  }

  @Test func aCallThatExceedsTheBudgetIsADebtThatTimeRepays() {
    var budget = RateBudget(rate: 100, now: 0)
    budget.spend(4096, rate: 100, now: 0)
    // 3,996 events too many, and one to continue with.
    #expect(budget.due(rate: 100) == 39_970_000)
    budget.refill(rate: 100, now: 39_969_999)
    #expect(budget.isSpent)
    budget.refill(rate: 100, now: 39_970_000)
    #expect(!budget.isSpent)
  }

  @Test func theBudgetHoldsAtMostASecondsWorth() {
    var budget = RateBudget(rate: 10, now: 0)
    #expect(budget.isFull(rate: 10, now: 0))
    budget.spend(5, rate: 10, now: 0)
    #expect(!budget.isFull(rate: 10, now: 499_999))
    #expect(budget.isFull(rate: 10, now: 500_000))
    budget.refill(rate: 10, now: .max)
    budget.spend(10, rate: 10, now: .max)
    #expect(budget.isSpent)
  }

  @Test func aLoweredRateAppliesFromThenOn() {
    var budget = RateBudget(rate: 1_000_000_000, now: 0)
    budget.spend(3, rate: 3, now: 0)
    #expect(budget.isSpent)
    #expect(budget.due(rate: 3) == 333_334)
  }

  @Test func atMostTheRateAndOneCallPassOverAnyTime() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    for rate in [1, 7, 1000, 100_000] {
      var budget = RateBudget(rate: rate, now: 0)
      var now: Int64 = 0
      var sent = 0
      for _ in 0..<5000 {
        now += Int64(random.whole(0...20_000))
        budget.refill(rate: rate, now: now)
        if budget.isSpent {
          #expect(budget.due(rate: rate) > now)
          continue
        }
        let count = random.whole(1...4096)
        budget.spend(count, rate: rate, now: now)
        sent += count
        #expect(Double(sent - 4096) <= Double(rate) * (1 + Double(now) / 1_000_000), "rate \(rate), \(now) µs")
      }
    }
  }
}
