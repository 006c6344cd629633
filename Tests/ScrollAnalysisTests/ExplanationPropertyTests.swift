import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Explanations of random states")
struct ExplanationPropertyTests {
  private static let sessions = SeededRandom.cases(200)
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

  @Test("The events since the toolbar's last turn suffice for the same explanation", arguments: 0..<parts)
  func theTurnSuffices(_ part: UInt64) {
    var broken: [String] = []
    for index in stride(from: part, to: Self.sessions / 4, by: Int(Self.parts)) {
      let seed = SeededRandom.seedOfRun &+ index
      for policy in [.safari, .classic, RandomSession.policy(seed: seed)] {
        var whole = Explainer(policy)
        var resumed: Explainer?
        var state = FoldState()
        var clock = SessionClock()
        for (place, event) in RandomSession.mixed(seed: seed).enumerated() {
          let number = Int64(place + 1)
          whole.add(event, number: number)
          resumed?.add(event, number: number)
          clock.advance(to: event.time)
          let step = policy.step(&state, event)
          if step.changed.contains(.toolbar), let reason = step.reason {
            let turn = Turn(
              position: number, number: number, time: event.time, kind: event.kind, reason: reason, clock: clock,
              state: state)
            resumed = Explainer(policy, after: turn)
          }
          guard let resumed, (place + Int(seed % 3)) % 3 == 0 else { continue }
          if resumed.explanation != whole.explanation {
            broken.append("by \(policy.name) in session \(seed) after event \(place)")
          }
        }
      }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(5)); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
  }

  /// What is in vain: doing the last movement again, in the same form, as far as the advice says.
  @Test(
    "Doing the last movement again turns the toolbar, or the advice says what must be different", arguments: 0..<parts)
  func adviceIsNotInVain(_ part: UInt64) {
    var broken: [String] = []
    for index in stride(from: part, to: Self.sessions / 2, by: Int(Self.parts)) {
      let seed = SeededRandom.seedOfRun &+ index
      for policy in [.safari, .classic, RandomSession.policy(seed: seed)] {
        var explainer = Explainer(policy)
        var motion: LastMotion?
        for (place, event) in RandomSession.mixed(seed: seed).enumerated() {
          let before = explainer.state
          explainer.add(event, number: Int64(place + 1))
          if before.toolbar != explainer.state.toolbar { motion = nil }
          motion = LastMotion(event, from: before, to: explainer.state, policy) ?? motion
          guard let motion, (place + Int(seed % 5)) % 5 == 0, Self.isSane(explainer.state) else { continue }
          let what = " by \(policy.name) in session \(seed) after event \(place)"
          broken += Self.advice(explainer.explanation, inVainAfter: motion).map { $0 + what }
        }
      }
    }
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(5)); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
  }

  /// The last event that moved the content in the direction that turns the toolbar.
  private struct LastMotion {
    let event: Event
    let pull: Double?
    let pullX: Double?

    init?(_ event: Event, from before: FoldState, to after: FoldState, _ policy: Policy) {
      guard before.toolbar == after.toolbar else { return nil }
      let moved: Double
      if case .classic = policy.rule {
        guard event.kind == .scroll, !before.bottomLatch else { return nil }
        moved = (after.geometry.y ?? 0) - (before.geometry.y ?? after.geometry.y ?? 0)
      } else {
        guard [.scroll, .dragEnd, .scrollEnd].contains(event.kind) else { return nil }
        moved = (after.memory.last ?? 0) - (before.memory.last ?? after.memory.last ?? 0)
      }
      guard after.toolbar == .shown ? moved > 0 : moved < 0 else { return nil }
      self.event = event
      pull = event.translationY.map { $0 - before.memory.pan }
      pullX = event.translationX.map { $0 - before.memory.panX }
    }

    /// The same movement to another offset.
    func again(to y: Double, after state: FoldState) -> Event {
      var event = Event(event.kind, time: state.time ?? 0)
      event.x = state.geometry.x ?? 0
      event.y = y
      event.source = self.event.source
      event.translationY = pull.map { state.memory.pan + $0 }
      event.translationX = pullX.map { state.memory.panX + $0 }
      return event
    }
  }

  private static func advice(_ explanation: Explanation, inVainAfter motion: LastMotion) -> [String] {
    explanation.ways.compactMap { way in
      guard way.gestures.count == 1 else { return nil }
      let distance: Gesture.Distance
      switch way.gestures[0] {
      case .scrollUp(let up) where explanation.toolbar == .hidden: distance = up
      case .scrollDown(let down) where explanation.toolbar == .shown: distance = down
      default: return nil
      }
      var state = explanation.state
      _ = explanation.policy.step(&state, motion.again(to: distance.to, after: state))
      let isInVain = state.toolbar == explanation.toolbar
      if isInVain == (way.condition != nil) { return nil }
      return "“\(way.text)” \(isInVain ? "is in vain" : "asks for too much")"
    }
  }

  /// Movement that the rule counts makes the travel longer. All other movement must be named.
  @Test("Upward movement counts or is named while the toolbar is hidden")
  func movementIsNamed() {
    for index in 0..<Self.sessions / 2 {
      let seed = SeededRandom.seedOfRun &+ index
      let policy = RandomSession.policy(seed: seed)
      var explainer = Explainer(policy)
      var expected = 0.0
      for (place, event) in RandomSession.mixed(seed: seed).enumerated() {
        let before = explainer.state
        explainer.add(event, number: Int64(place + 1))
        let after = explainer.state
        guard Self.isSane(before), Self.isSane(after) else { break }
        guard before.toolbar == .hidden, after.toolbar == .hidden else {
          expected = 0
          continue
        }
        if [.scroll, .dragEnd, .scrollEnd].contains(event.kind), let from = before.memory.last,
          let to = after.memory.last,
          to < from, after.memory.travelUp <= before.memory.travelUp
        {
          expected += from - to
        }
        let named = explainer.explanation.uncounted.reduce(0) { $0 + $1.points }
        #expect((named - expected).magnitude < 1e-3, "session \(seed) after event \(place)")
      }
    }
  }

  @Test(
    "A sentence says “scrolled down” only at an event that moved the content down, and “up” only at one that moved it up"
  )
  func sentencesNameTheDirection() {
    for index in 0..<Self.sessions {
      let seed = SeededRandom.seedOfRun &+ index
      let policy = RandomSession.policy(seed: seed)
      var state = FoldState()
      for (place, event) in RandomSession.mixed(seed: seed).enumerated() {
        let before = state
        guard let reason = policy.step(&state, event).reason else { continue }
        let moved = (state.memory.last ?? 0) - (before.memory.last ?? 0)
        if reason.sentence.contains("scrolled down") { #expect(moved > 0, "session \(seed), event \(place)") }
        if reason.sentence.contains("scrolled up") { #expect(moved < 0, "session \(seed), event \(place)") }
      }
    }
  }

  private static func brokenPromises(_ explanation: Explanation) -> [String] {
    var broken: [String] = []
    for way in explanation.ways {
      if !turns(explanation, way) { broken.append("“\(way.text)” does not turn it") }
      if !turnsAsPrinted(explanation, way) { broken.append("“\(way.text)” does not turn it at the printed offset") }
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

  /// Whether a way that consists of scrolling to an offset turns the toolbar exactly there.
  private static func turnsAsPrinted(_ explanation: Explanation, _ way: Way) -> Bool {
    guard way.gestures.count == 1, way.condition == nil, let start = way.text.range(of: ", to "),
      let to = Double(way.text[start.upperBound...])
    else { return true }
    switch way.gestures[0] {
    case .scrollUp(let distance):
      let printed = Gesture.scrollUp(.init(points: distance.points, to: to))
      return turns(explanation, Way(gestures: [printed], trigger: way.trigger))
    case .scrollDown(let distance):
      let printed = Gesture.scrollDown(.init(points: distance.points, to: to))
      return turns(explanation, Way(gestures: [printed], trigger: way.trigger))
    default: return true
    }
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
