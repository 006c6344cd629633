import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Explanations of random states")
struct ExplanationPropertyTests {
  private static let sessions: UInt64 = 4000
  private static let parts: UInt64 = 4

  @Test("Every way that an explanation lists turns the toolbar", arguments: 0..<parts)
  func explanationsAreTrue(_ part: UInt64) {
    var broken: [String] = []
    for index in stride(from: part, to: Self.sessions, by: Int(Self.parts)) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      for policy in [.safari, .safariArrival, .classic, RandomSession.policy(seed: seed)] {
        var state = FoldState()
        for (place, event) in events.enumerated() {
          _ = policy.step(&state, event)
          // Every state would take a minute, and adjacent states are similar.
          guard (place + Int(seed % 7)) % 7 == 0 else { continue }
          let explanation = Explanation(policy: policy, state: state)
          let what = " by \(policy.name) in session \(seed) after event \(place)"
          broken += Self.brokenPromises(explanation).map { $0 + what }
        }
      }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(5)); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
  }

  private static func brokenPromises(_ explanation: Explanation) -> [String] {
    var broken: [String] = []
    for way in explanation.ways {
      if !turns(explanation, way) { broken.append("“\(way.text)” does not turn it") }
      if isTooLong(explanation, way) { broken.append("“\(way.text)” asks for too much") }
    }
    if explanation.ways.isEmpty, explanation.obstacles.isEmpty { broken.append("no way and no obstacle") }
    if explanation.obstacles == [.numbersTooLarge], isSane(explanation.state) { broken.append("numbers not too large") }
    if mustHaveWay(explanation), explanation.ways.isEmpty { broken.append("no way, but there must be one") }
    return broken
  }

  /// Whether the way turns the toolbar by its trigger, and only with its last gesture.
  private static func turns(_ explanation: Explanation, _ way: Way) -> Bool {
    var state = explanation.state
    for (place, gesture) in way.gestures.enumerated() {
      if state.toolbar != explanation.toolbar { return false }
      for event in gesture.events(after: state, by: explanation.policy) { _ = explanation.policy.step(&state, event) }
      if place == way.gestures.count - 1 {
        return state.toolbar != explanation.toolbar && state.trigger == way.trigger
      }
    }
    return false
  }

  /// Whether scrolling a tenth of a point less would also be enough.
  private static func isTooLong(_ explanation: Explanation, _ way: Way) -> Bool {
    guard way.gestures.count == 1, let last = explanation.state.memory.last else { return false }
    let shorter: Gesture
    switch way.gestures[0] {
    case .scrollUp(let distance) where !distance.isAny && distance.points > 1e-6:
      shorter = .scrollUp(.init(points: distance.points * 0.9, to: last - distance.points * 0.9))
    case .scrollDown(let distance) where !distance.isAny && distance.points > 1e-6:
      shorter = .scrollDown(.init(points: distance.points * 0.9, to: last + distance.points * 0.9))
    default: return false
    }
    // If doubles are farther apart than a tenth, no shorter distance exists.
    guard last.magnitude < 1e12 else { return false }
    return turns(explanation, Way(gestures: [shorter], trigger: way.trigger))
  }

  /// Whether the rule guarantees that some scrolling turns the toolbar from here: with the sizes and offsets of real
  /// screens, and content long enough to scroll down in, even after leaving a bottom that holds the toolbar.
  private static func mustHaveWay(_ explanation: Explanation) -> Bool {
    let state = explanation.state
    guard isSane(state) else { return false }
    guard case .safari(let rule) = explanation.policy.rule else { return state.geometry.y != nil }
    guard state.memory.last != nil else { return false }
    if state.toolbar == .hidden { return true }
    let bounds = ScrollBounds(state.geometry, edgeTolerance: rule.edgeTolerance)
    if state.geometry.toolbarPinned || state.memory.tooShort != nil { return false }
    if !bounds.isKnown { return !state.memory.held }
    let held = rule.minimumRange + state.memory.slack
    return bounds.range > rule.hideDistance + rule.hideOffset + held + rule.edgeTolerance + 1
  }

  private static func isSane(_ state: FoldState) -> Bool {
    let numbers = [
      state.geometry.y, state.geometry.contentHeight, state.geometry.insetTop, state.geometry.insetBottom,
      state.geometry.frameHeight, state.memory.last, state.memory.pan,
    ]
    return numbers.allSatisfy { ($0 ?? 0).magnitude < 1e9 }
  }
}
