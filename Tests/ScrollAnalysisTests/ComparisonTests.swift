import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Comparisons")
struct ComparisonTests {
  @Test("A policy does not differ from itself")
  func aPolicyIsTheSameAsItself() {
    for index in 0..<SeededRandom.cases(50) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      for policy in [Policy.safari, .classic, RandomSession.policy(seed: seed)] {
        var renamed = policy
        renamed.name = "again"
        let comparison = Comparison([policy, renamed, policy], sessions: [events, events])
        #expect(comparison.isSame && comparison.rows.isEmpty, "session \(seed)")
        #expect(comparison.tallies[0].flips == comparison.tallies[1].flips)
      }
    }
  }

  /// After the last row, the policies either agree or keep differing as in that row.
  @Test("The rows report every difference")
  func rowsTellEveryDifference() throws {
    for index in 0..<SeededRandom.cases(50) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      let comparison = Comparison([.safari, .classic], sessions: [events])
      var row = comparison.rows.startIndex
      var states = [FoldState(), FoldState()]
      var expected: WatchedFields = []
      for (place, event) in events.enumerated() {
        _ = Policy.safari.step(&states[0], event)
        _ = Policy.classic.step(&states[1], event)
        if row < comparison.rows.endIndex, comparison.rows[row].event == place {
          expected = comparison.rows[row].differing
          row += 1
        }
        let differing = WatchedView(states[0]).difference(from: WatchedView(states[1]))
        #expect(differing == expected, "session \(seed), event \(place)")
      }
      #expect(row == comparison.rows.endIndex)
    }
  }

  /// The drag scrolls 6, 6 and 6 points at 100, 200 and 300 ms. `classic` hides at the first, `safari` at the second
  /// because 12 ≥ 10, and then they agree.
  @Test("A drag that two rules decide at different points makes two rows")
  func rowsOfADrag() throws {
    let events = Self.drag(times: [0, 100_000, 200_000, 300_000], offsets: [0, 6, 12, 18])
    let comparison = Comparison([.safari, .classic], sessions: [[], events])
    let differing: WatchedFields = [.toolbar, .trigger]
    #expect(comparison.rows.map(\.session) == [1, 1])
    #expect(comparison.rows.map(\.event) == [1, 2])
    #expect(comparison.rows.map(\.differing) == [differing, []])
    let first = try #require(comparison.rows.first)
    #expect(first.cells.map(\.toolbar) == [.shown, .hidden])
    #expect(first.cells.map(\.reason) == [nil, .notTranslatedDown(translationY: 0)])
    #expect(comparison.rows.last?.cells[0].reason == .travelledDown(travelDown: 12, hideDistance: 10))
    #expect(!comparison.isSame)
  }

  /// Scrolling down 20 at 0.1 s hides, and up 20 at 0.35 s shows 250 ms later, which is a flicker. Scrolling down 20 at
  /// 0.9 s hides 550 ms later, which is not. After a pause of 3 s, which is not scrolling, the last event follows 0.5 s
  /// later.
  @Test("A tally counts flips, flickers, and times hidden and scrolled")
  func tallyOfADrag() {
    let events = Self.drag(
      times: [0, 100_000, 350_000, 900_000, 3_900_000, 4_400_000], offsets: [300, 320, 300, 320, 330, 340])
    let tally = Comparison([.safari], sessions: [events]).tallies[0]
    #expect(tally.flips == 3)
    #expect(tally.flickers.map(\.elapsed) == [250_000])
    #expect(tally.flickers.map { events[$0.event].time } == [350_000])
    // Hidden from 0.1 s to 0.35 s, and from 0.9 s to the end at 4.4 s.
    #expect(tally.hidden == 250_000 + 3_500_000)
    #expect(tally.duration == 4_400_000)
    // From 0.1 s, the first scroll, to 0.9 s; and 0.5 s after the pause.
    #expect(tally.scrolling == 1_300_000)
    #expect(tally.flipsPerMinute == 3.0 * 60_000_000 / 1_300_000)
  }

  @Test("A clock that runs backwards adds no time and no flicker")
  func clocksThatRunBackwards() {
    let events = Self.drag(times: [5_000_000, 6_000_000, 2_000_000, 2_500_000], offsets: [300, 320, 321, 322])
    let tally = Comparison([.safari], sessions: [events]).tallies[0]
    #expect(tally.duration == 1_500_000)
    #expect(tally.hidden == 500_000)
    #expect(tally.scrolling == 500_000)
  }

  /// Down 20 hides; an hour earlier by the clock, up 20 shows.
  @Test("A turn back across a clock that was set back is no flicker after −1:00:00")
  func clockSetBackBetweenFlips() throws {
    let hour: Int64 = 3_600_000_000
    let events = Self.drag(times: [2 * hour, 2 * hour + 100, hour, hour + 50], offsets: [300, 320, 300, 301])
    let comparison = Comparison([.safari, .classic], sessions: [events])
    #expect(comparison.tallies[0].flips == 2)
    #expect(comparison.tallies[0].flickers.isEmpty)
    #expect(comparison.rows.map(\.sinceStart) == [100])
  }

  /// The callbacks of two threads, stored 3 ms out of order.
  @Test("A turn back among events that are out of order is a flicker after no time at all")
  func disorderBetweenFlips() {
    let events = Self.drag(times: [0, 100_000, 97_000, 150_000], offsets: [300, 320, 300, 301])
    #expect(Comparison([.safari], sessions: [events]).tallies[0].flickers.map(\.elapsed) == [0])
  }

  @Test("Policies without sessions do not differ")
  func noSessionsAreTheSame() {
    let comparison = Comparison([.safari, .classic], sessions: [])
    #expect(comparison.isSame)
    #expect(comparison.tallies.map(\.flipsPerMinute) == [nil, nil])
    #expect(comparison.lines().first == "The policies agree on every event.")
  }

  @Test("The table of a recording is as documented")
  func tableOfARecording() throws {
    let recording = try Fixtures.recording("article-read", in: "recordings")
    let comparison = Comparison([.safari, .classic], sessions: [recording.events])
    let lines = comparison.lines { _, event in "article-read:\(recording.lines[event])" }
    try Golden.expect(lines.joined(separator: "\n") + "\n", is: "compare-article-read.txt")
  }

  @Test("The table of all presets is as documented")
  func tableOfAllPresets() throws {
    let sessions = try Fixtures.names(in: "recordings").map { try Fixtures.recording($0, in: "recordings").events }
    let lines = Comparison(Policy.presets, sessions: sessions).lines()
    let tallies = lines.drop { !$0.hasPrefix("policy ") }.prefix(Policy.presets.count + 1)
    try Golden.expect(tallies.joined(separator: "\n") + "\n", is: "compare-presets.txt")
  }

  /// A drag without a translation, on content of 4,000 points in a frame of 800.
  private static func drag(times: [Int64], offsets: [Double]) -> [Event] {
    zip(times, offsets).enumerated().map { index, pair in
      var event = Event(index == 0 ? .layout : .scroll, time: pair.0)
      if index == 0 {
        event.contentHeight = 4000
        event.frameHeight = 800
      }
      event.x = 0
      event.y = pair.1
      return event
    }
  }
}
