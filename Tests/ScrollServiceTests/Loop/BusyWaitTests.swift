import Testing

@testable import ScrollService

@Suite struct BusyWaitTests {
  @Test func looksAfterSeveralShortSleeps() {
    var wait = BusyWait(processors: 2)
    for _ in 0..<4 {
      #expect(!wait.isWorthwhile)
      wait.slept(50)
    }
    #expect(wait.isWorthwhile)
  }

  @Test func doesNotLookForClientsThatSendAnEventAFrame() {
    var wait = BusyWait(processors: 2)
    for _ in 0..<1000 {
      wait.slept(16_000)
      #expect(!wait.isWorthwhile)
    }
  }

  @Test func oneLongSleepAsksForNewProof() {
    var wait = BusyWait(processors: 2)
    for _ in 0..<3 { wait.slept(50) }
    wait.slept(16_000)
    for _ in 0..<3 { wait.slept(50) }
    #expect(!wait.isWorthwhile)
    wait.slept(50)
    #expect(wait.isWorthwhile)
  }

  /// Client and daemon may share a processor, though the machine has more.
  @Test func aLookInVainIsFollowedByManySleepsWithoutOne() {
    var wait = BusyWait(processors: 2)
    var looks = 0
    for _ in 0..<3600 {
      if wait.isWorthwhile {
        looks += 1
        wait.lookedInVain()
      } else {
        wait.slept(20)
      }
    }
    #expect((90...100).contains(looks))
  }

  @Test func neverLooksWithASingleProcessor() {
    var wait = BusyWait(processors: 1)
    for _ in 0..<100 { wait.slept(1) }
    #expect(!wait.isWorthwhile)
  }
}
