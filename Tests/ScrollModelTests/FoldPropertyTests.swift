// What must hold for every session, tried on some ten thousands at random.

import ScrollModel
import ScrollTesting
import Testing

@Suite struct FoldPropertyTests {
  private static let sessions: UInt64 = 24_000
  private static let parts: UInt64 = 4

  /// One pass over all sessions, since making them costs more than looking at them. Split only to use every core.
  @Test(arguments: 0..<parts) func everySessionKeepsThePromises(_ part: UInt64) {
    var broken: [String] = []
    for index in stride(from: part, to: Self.sessions, by: Int(Self.parts)) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      let cut = Int(seed % UInt64(events.count + 1))
      for policy in [.safari, .safariArrival, RandomSession.policy(seed: seed), .classic] {
        let history = History(policy, events)
        broken += history.brokenPromises(cut: cut).map { "\($0) by \(policy.name) in session \(seed)" }
      }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(5)); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
  }

  /// The generator must reach what the promises speak of, or they would hold for want of cases.
  @Test func sessionsReachEverything() {
    var clauses: Set<String> = []
    var sessionsHeld = 0
    var sessionsWithOverscroll = 0
    for index in 0..<UInt64(800) {
      let events = RandomSession.mixed(seed: index)
      for policy in [Policy.safari, .safariArrival, .classic] {
        let history = History(policy, events)
        clauses.formUnion(history.steps.compactMap { $0.reason.map(clause) })
        if history.states.contains(where: \.memory.held) { sessionsHeld += 1 }
        if history.states.contains(where: isBeyondBottom) { sessionsWithOverscroll += 1 }
      }
    }
    #expect(clauses.count == 14, "\(clauses.sorted())")
    #expect(sessionsHeld > 20)
    #expect(sessionsWithOverscroll > 20)
  }

  /// The words of a reason without its numbers.
  private func clause(_ reason: Reason) -> String {
    "\(reason)".split(separator: " ").filter { Double($0.filter { $0 != "," }) == nil }.joined(separator: " ")
  }

  private func isBeyondBottom(_ state: FoldState) -> Bool {
    ScrollBounds(state.geometry, edgeTolerance: 2).isBeyondBottom
  }
}
