import ScrollModel
import ScrollTesting
import Testing

@Suite("Apps that react to the toolbar")
struct ClosedLoopTests {
  private static let loops: UInt64 = 3000
  /// The default minimum range less the default tolerance of the edges.
  private static let collapseLimit = 148.0

  /// A bar up to the minimum range. The collapse of a higher one can bring the top from farther below than the rule takes for
  /// a collapse: it shows, and then hides once more. Bars higher than twice the minimum range are left out: on content that
  /// is hardly longer than they are, they still turn with every scroll.
  @Test(
    "Until the user turns round, the toolbar hides and shows at most once", arguments: [Policy.safari, .safariArrival])
  func noLoopIsClosed(_ policy: Policy) {
    var broken: [String] = []
    for index in 0..<Self.loops {
      let seed = SeededRandom.seedOfRun &+ index
      var random = SeededRandom(seed: seed)
      let setup = Self.setup(&random)
      var loop = ClosedLoop(policy, setup)
      for (distance, step) in Self.script(&random) {
        let run = loop.scroll(by: distance, step: step)
        let what = "\(distance) by \(step): \(run) in session \(seed): \(setup)"
        let isOnce = run.hides <= 1 && run.shows <= 1
        if !isOnce, setup.barHeight <= Self.collapseLimit { broken.append("turns more than once: " + what) }
        if run.hides > 2 || run.shows > 2 { broken.append("turns more than twice: " + what) }
        if distance < 0, run.hides > 0 { broken.append("upward movement hides: " + what) }
        if run.distance <= -30, loop.state.toolbar == .hidden { broken.append("30 points up don't show: " + what) }
      }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(8)); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
  }

  /// A user who reads down and back a few times, in steps from a slow finger's to a fast wheel's.
  private static func script(_ random: inout SeededRandom) -> [(distance: Double, step: Double)] {
    (0..<8).map { index in
      let isLong = random.happens(0.3)
      let distance = isLong ? random.quarters(400...3000) : random.quarters(5...400)
      let isDown = index == 0 || random.happens(0.5)
      return (isDown ? distance : -distance, random.quarters(2...60))
    }
  }

  private static func setup(_ random: inout SeededRandom) -> ClosedLoop.Setup {
    ClosedLoop.Setup(
      reaction: ClosedLoop.Reaction.allCases[random.whole(0...4)], input: random.happens(0.5) ? .wheel : .touch,
      isLabelled: random.happens(0.5), barHeight: random.quarters(20...298),
      contentHeight: random.happens(0.6) ? random.quarters(780...1600) : random.quarters(1600...6000))
  }

  /// A simulation that never hides or never reacts would keep every promise.
  @Test("The simulated toolbars hide and show in every way of reacting", arguments: ClosedLoop.Reaction.allCases)
  func theSimulationTurnsTheToolbar(_ reaction: ClosedLoop.Reaction) {
    for input in ClosedLoop.Input.allCases {
      let setup = ClosedLoop.Setup(
        reaction: reaction, input: input, isLabelled: true, barHeight: 60, contentHeight: 3000)
      var loop = ClosedLoop(.safari, setup)
      #expect(loop.scroll(by: 500, step: 20).hides == 1)
      #expect(loop.scroll(by: -300, step: 20).shows == 1)
    }
  }
}
