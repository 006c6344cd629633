import ScrollModel

/// Measures the speed of the fold, in memory and on one core.
struct FoldBenchmark {
  private let seconds: Int

  init(_ arguments: Arguments) throws {
    var arguments = arguments
    seconds = try arguments.number("--seconds", default: 2, in: 1...600)
    try arguments.finish()
  }

  func run() throws {
    let events = SampleSession.events(20_000)
    for policy in [Policy.safari, Policy.classic] {
      var folded = 0
      var transitions = 0
      let start = ContinuousClock.now
      repeat {
        var state = FoldState()
        for event in events where !policy.step(&state, event).changed.isEmpty { transitions += 1 }
        folded += events.count
      } while ContinuousClock.now - start < .seconds(seconds)
      let rate = Double(folded) / (ContinuousClock.now - start).inSeconds
      print("fold \(policy.name): \(Int(rate)) events/s, \(folded / max(1, transitions)) events per transition")
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
