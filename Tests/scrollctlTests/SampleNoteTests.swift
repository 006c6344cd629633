import ScrollAnalysis
import ScrollModel
import Testing

@testable import scrollctl

@Suite("Samples that are too far apart")
struct SampleNoteTests {
  /// Scrolls down, with a turn up after every fourth sample.
  private func events(every interval: Int64, by step: Double) -> [Event] {
    var y = 0.0
    return [Event.layout]
      + (1...60).map { index in
        y += index % 4 == 0 ? -step : step
        var event = Event(.scroll, time: Int64(index) * interval)
        (event.x, event.y) = (0, y)
        return event
      }
  }

  private func message(_ policies: [Policy], every interval: Int64, by step: Double) -> String? {
    let events = events(every: interval, by: step)
    let comparison = Comparison(policies, sessions: [events], closings: [nil])
    return SampleNote([events])?.message(comparison.tallies)
  }

  @Test("Policies with the same result are named if each step exceeds the distances by which they decide")
  func coarse() {
    #expect(
      message([.safari, .headroom, .material], every: 100_000, by: 20)
        == "safari, headroom and material cannot be told apart: most samples are 100 ms and 20 points apart, farther than the "
        + "distances by which these policies differ")
    // Chrome's bar turns after more than a step.
    #expect(message([.safari, .chrome], every: 100_000, by: 20) == nil)
  }

  @Test("Nothing is said about the frames of a screen, short steps and single policies")
  func fine() {
    #expect(message([.safari, .headroom], every: 16_000, by: 40) == nil)
    #expect(message([.safari, .headroom], every: 100_000, by: 5) == nil)
    #expect(message([.safari], every: 100_000, by: 40) == nil)
  }
}

extension Event {
  fileprivate static var layout: Event {
    var event = Event(.layout, time: 0)
    (event.contentHeight, event.frameHeight) = (50_000, 500)
    return event
  }
}
