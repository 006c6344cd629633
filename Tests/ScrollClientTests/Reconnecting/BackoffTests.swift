import Testing

@testable import ScrollClient

@Suite("Backoff")
struct BackoffTests {
  @Test("Waits double up to the cap, and start over after a connection")
  func doubling() {
    var backoff = Backoff(first: .milliseconds(100), cap: .seconds(1))
    let waits = (0..<6).map { _ in backoff.next(random: 1) }
    #expect(waits == [100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) })
    backoff.reset()
    #expect(backoff.next(random: 1) == .milliseconds(100))
  }

  @Test("Jitter takes off up to half of a wait")
  func jitter() {
    var backoff = Backoff(first: .milliseconds(100), cap: .seconds(30))
    #expect(backoff.next(random: 0) == .milliseconds(50))
    #expect(backoff.next(random: 0.5) == .milliseconds(150))
  }

  @Test("However many attempts fail, the wait is the cap")
  func manyAttempts() {
    var backoff = Backoff(first: .milliseconds(1), cap: .seconds(30))
    for _ in 0..<1000 { _ = backoff.next(random: 0.5) }
    #expect(backoff.next(random: 1) == .seconds(30))
  }
}
