import Testing

@testable import ScrollService

@Suite struct StartProgressTests {
  @Test func progressIsLoggedAfterOneSecondAndThenEveryTenWhileBytesMove() {
    let progress = StartProgress(began: 5_000_000)
    #expect(progress.add(100, at: 5_000_000) == nil)
    #expect(progress.add(100, at: 5_999_999) == nil)
    #expect(progress.add(100, at: 6_000_000) == 300)
    #expect(progress.add(1, at: 15_999_999) == nil)
    #expect(progress.add(1, at: 16_000_000) == 302)
    // Nothing is logged while no bytes move.
    #expect(progress.add(1, at: 100_000_000) == 303)
    #expect(!progress.hasEnded)
    progress.end()
    #expect(progress.hasEnded)
    #expect(progress.add(1, at: 200_000_000) == nil)
  }
}
