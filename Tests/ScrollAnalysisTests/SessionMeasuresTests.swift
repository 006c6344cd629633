import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("The measures of a session")
struct SessionMeasuresTests {
  private func measures(_ events: [Event], _ policy: Policy = .safari) -> SessionMeasures {
    var measures = SessionMeasures()
    var state = FoldState()
    for event in events {
      let step = policy.step(&state, event)
      measures.add(event, step, state)
    }
    return measures
  }

  @Test("Flips, flickers and duration are those of a comparison")
  func comparison() {
    for index in 0..<UInt64(300) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      let policy = RandomSession.policy(seed: seed)
      let measures = measures(events, policy)
      let tally = Comparison([policy], sessions: [events]).tallies[0]
      #expect(measures.flips == Int64(tally.flips), "session \(seed)")
      #expect(measures.flickers == Int64(tally.flickers.count), "session \(seed)")
      #expect(measures.duration == tally.duration, "session \(seed)")
    }
  }

  private func layout(content: Double?, frame: Double?, top: Double = 0, bottom: Double = 0) -> Event {
    var event = Event(.layout, time: 0)
    event.contentHeight = content
    event.frameHeight = frame
    event.insetTop = top
    event.insetBottom = bottom
    return event
  }

  private func scroll(_ y: Double, at time: Int64 = 0) -> Event {
    var event = Event(.scroll, time: time)
    event.x = 0
    event.y = y
    return event
  }

  @Test("Reach is the greatest part of the content that was on screen, by the sizes of that time")
  func reach() {
    let plain = layout(content: 1000, frame: 200)
    func expect(_ events: [Event], toReach reach: Double?) {
      let found = measures(events).reach
      #expect(found == reach, "\(events.count) events")
    }
    expect([], toReach: nil)
    expect([scroll(5)], toReach: nil)
    expect([layout(content: 1000, frame: nil), scroll(5)], toReach: nil)
    expect([plain, scroll(0)], toReach: 0.2)
    expect([plain, scroll(300), scroll(100)], toReach: 0.5)
    // Rubber bands do not count.
    expect([plain, scroll(900)], toReach: 1)
    expect([plain, scroll(-100)], toReach: 0.2)
    // Content that grows later does not change the past.
    expect([plain, scroll(300), layout(content: 9000, frame: 200), scroll(300)], toReach: 0.5)
    expect([layout(content: 1000, frame: 200, top: 100, bottom: 100), scroll(300)], toReach: 0.5)
  }

  /// The toolbar hides at `down` and is shown again at `up`.
  private func turns(down: Int64, up: Int64) -> [Event] {
    [layout(content: 2000, frame: 800), scroll(300), scroll(320, at: down), scroll(300, at: up)]
  }

  @Test("A flip that is undone after 300 ms is a flicker, and after a microsecond more it is none")
  func flickerTime() {
    let limit = SessionMeasures.flickerTime
    #expect(measures(turns(down: 1000, up: 1000 + limit)).flickers == 1)
    #expect(measures(turns(down: 1000, up: 1001 + limit)).flickers == 0)
  }

  @Test("Nobody knows how soon a flip was undone if the clock was set back in between")
  func flickerAcrossAClockThatWasSetBack() {
    let measures = measures(turns(down: 60_000_000, up: 50_000_000))
    #expect(measures.flips == 2 && measures.flickers == 0)
  }

  @Test("A closing ends the duration, unless it is by another clock")
  func closing() {
    let measures = measures([scroll(0, at: 1000), scroll(1, at: 5000)])
    #expect(measures.duration(closedAt: 9000) == 8000)
    #expect(measures.duration(closedAt: 10) == 4000)
    #expect(SessionMeasures().duration(closedAt: 9000) == 0)
  }
}
