import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("The session clock")
struct SessionClockTests {
  private func elapsed(_ times: [Int64]) -> [Int64] {
    var clock = SessionClock()
    return times.map { clock.advance(to: $0) }
  }

  @Test("It counts from the first event")
  func countsFromTheFirstEvent() {
    #expect(elapsed([1000, 1500, 1500, 9000]) == [0, 500, 500, 8000])
  }

  @Test("It stands still until events that came out of order are over")
  func disorder() {
    #expect(
      elapsed([5_000_000, 7_000_000, 6_500_000, 6_900_000, 9_000_000]) == [
        0, 2_000_000, 2_000_000, 2_000_000, 4_000_000,
      ])
  }

  @Test("It continues from a clock that was set back")
  func setBack() {
    let hour: Int64 = 3_600_000_000
    #expect(elapsed([2 * hour, 2 * hour + 5, hour, hour + 7]) == [0, 5, 5, 12])
    var clock = SessionClock()
    clock.advance(to: 2 * hour)
    clock.advance(to: hour)
    #expect(clock.wasSetBack)
    clock.advance(to: hour + 1)
    #expect(!clock.wasSetBack)
  }

  @Test("Times that no event can have stop nothing")
  func extremeTimes() {
    var clock = SessionClock()
    for round in 0..<3_000 { clock.advance(to: round % 2 == 0 ? .min : .max) }
    #expect(clock.elapsed == .max)
  }

  @Test("Nothing that a comparison, an explanation or a timeline says about time is negative, whatever the clock does")
  func nothingIsNegative() {
    for index in 0..<UInt64(400) {
      let seed = SeededRandom.seedOfRun &+ index
      var random = SeededRandom(seed: seed)
      var events = RandomSession.realistic(seed: seed)
      for place in events.indices where random.happens(0.2) {
        events[place].time -= Int64(random.whole(0...4)) * Int64(random.whole(0...1_800)) * 1_000_000
      }
      let comparison = Comparison([.safari, .classic, .headroom], sessions: [events, events])
      #expect(comparison.rows.allSatisfy { $0.sinceStart >= 0 }, "session \(seed)")
      for tally in comparison.tallies {
        #expect(tally.flickers.allSatisfy { $0.elapsed >= 0 && $0.sinceStart >= 0 }, "session \(seed)")
        #expect((0...tally.duration).contains(tally.hidden), "session \(seed)")
        #expect((0...tally.duration).contains(tally.scrolling), "session \(seed)")
      }
      var explainer = Explainer(.safari)
      for (place, event) in events.enumerated() { explainer.add(event, number: Int64(place + 1)) }
      let explanation = explainer.explanation
      #expect((explanation.decision?.sinceStart ?? 0) >= (explanation.flip?.sinceStart ?? 0), "session \(seed)")
      #expect((explanation.flip?.sinceStart ?? 0) >= 0, "session \(seed)")
      #expect(explanation.lines().allSatisfy { !$0.contains("+-") }, "session \(seed)")
      let timeline = Timeline(events, policies: [.safari])
      #expect(timeline.offset.points.allSatisfy { (0...timeline.duration).contains($0.time) }, "session \(seed)")
      #expect(timeline.bands[0].marks.allSatisfy { (0...timeline.duration).contains($0.time) }, "session \(seed)")
    }
  }
}
