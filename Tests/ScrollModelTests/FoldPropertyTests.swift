import ScrollModel
import ScrollTesting
import Testing

@Suite("Promises of the fold")
struct FoldPropertyTests {
  private static let sessions: UInt64 = 20_000
  private static let parts: UInt64 = 4

  /// One pass over all sessions, because making them costs more than checking them. The parts only use every core.
  @Test("Random sessions keep every promise", arguments: 0..<parts)
  func everySessionKeepsThePromises(_ part: UInt64) {
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

  /// All 38,416 sessions of four events out of fourteen, after one with the sizes.
  @Test("All short sessions keep every promise")
  func everyShortSessionKeepsThePromises() {
    var broken: [String] = []
    let alphabet = Self.alphabet
    var word = [0, 0, 0, 0]
    repeat {
      let events = [Self.sizes] + word.map { alphabet[$0] }
      for policy in [Policy.safari, .safariArrival] {
        let history = History(policy, events)
        broken += history.brokenPromises(cut: 2).map { "\($0) by \(policy.name) in \(word)" }
      }
    } while Self.advance(&word, below: alphabet.count)
    #expect(broken.isEmpty, "\(broken.count): \(broken.prefix(5))")
  }

  /// Advances to the next word in counting order. Returns false after the last one.
  private static func advance(_ word: inout [Int], below count: Int) -> Bool {
    for place in word.indices {
      word[place] += 1
      if word[place] < count { return true }
      word[place] = 0
    }
    return false
  }

  /// Content of 1,000 points in a frame of 800, with the bottom at 200.
  private static let sizes = event(.layout) {
    $0.contentHeight = 1000
    $0.frameHeight = 800
  }

  /// One event for each case that the rule distinguishes.
  private static let alphabet: [Event] = [
    event(.layout) { $0.contentHeight = 801 },
    event(.layout) { $0.contentHeight = 1500 },
    event(.dragBegin, y: 200),
    event(.scroll, y: 0),
    event(.scroll, y: 100),
    event(.scroll, y: 200) { $0.translationY = -5 },
    event(.scroll, y: 260),
    event(.scroll, y: -60) { $0.translationY = 5 },
    event(.scroll, y: 0) { $0.source = .program },
    event(.scrollEnd, y: 200),
    event(.dragEnd, y: 90),
    event(.zoomBegin),
    event(.zoom) { $0.zoomScale = 2 },
    event(.zoomEnd) { $0.zoomScale = 1 },
  ]

  private static func event(_ kind: Event.Kind, y: Double? = nil, _ change: (inout Event) -> Void = { _ in }) -> Event {
    var event = Event(kind, time: 0)
    event.x = y.map { _ in 0 }
    event.y = y
    change(&event)
    return event
  }

  /// How many cases ``Reason`` has.
  private static let clauseCount = 15

  /// Promises about clauses that no session reaches would hold without being tested.
  @Test("Random sessions reach every clause")
  func sessionsReachEverything() {
    var clauses: Set<String> = []
    var sessionsHeld = 0
    var sessionsWithOverscroll = 0
    for index in 0..<UInt64(2000)
    where clauses.count < Self.clauseCount || sessionsHeld <= 20 || sessionsWithOverscroll <= 20 {
      let events = RandomSession.mixed(seed: index)
      for policy in [Policy.safari, .safariArrival, .classic] {
        let history = History(policy, events)
        clauses.formUnion(history.steps.compactMap { $0.reason.map(clause) })
        if history.states.contains(where: \.memory.held) { sessionsHeld += 1 }
        if history.states.contains(where: isBeyondBottom) { sessionsWithOverscroll += 1 }
      }
    }
    #expect(clauses.count == Self.clauseCount, "\(clauses.sorted())")
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
