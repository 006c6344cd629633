import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Properties of measures")
struct ReadingPropertyTests {
  /// Calls `body` with random sessions and their seeds.
  private static func sessions(_ count: UInt64 = 50, _ body: (UInt64, [Event]) -> Void) {
    for index in 0..<SeededRandom.cases(count) {
      let seed = SeededRandom.seedOfRun &+ index
      body(seed, RandomSession.mixed(seed: seed))
    }
  }

  @Test("The bands add up to the active time while the sizes are known")
  func bandsAddUp() {
    var layout = Event(.layout, time: 0)
    (layout.y, layout.contentHeight, layout.frameHeight) = (0, 3000, 700)
    var checked = 0
    Self.sessions { seed, events in
      for bands in [1, 7, 100] {
        layout.time = events.first?.time ?? 0
        let reading = ReadingMeter.read([layout] + events, policy: .safari, bands: bands)
        // Sizes that are 0, or add up to infinity, are as good as unknown.
        guard Self.alwaysKnowsSizes([layout] + events) else { continue }
        checked += 1
        #expect(reading.bands?.reduce(0, +) == reading.activeTime, "session \(seed)")
        #expect(reading.bands?.allSatisfy { $0 >= 0 } == true, "session \(seed)")
      }
    }
    #expect(checked > 75, "most sessions always know their sizes")
  }

  private static func alwaysKnowsSizes(_ events: [Event]) -> Bool {
    var geometry = Geometry()
    return events.allSatisfy { event in
      geometry.update(with: event)
      let bounds = ScrollBounds(geometry, edgeTolerance: 0)
      let whole = (geometry.contentHeight ?? 0) + geometry.insetTop + geometry.insetBottom
      return event.kind.isZoom
        || bounds.isKnown && whole > 0 && whole < 1e9 && (bounds.offset ?? 0).magnitude < 1e9
          && bounds.range < 1e9
    }
  }

  @Test("Reach and what depends on it never fall, and milestones come in their order")
  func reachNeverFalls() {
    Self.sessions { seed, events in
      var meter = ReadingMeter(policy: .safari)
      var last = meter.reading
      for event in events {
        meter.add(event)
        let reading = meter.reading
        #expect(reading.reach ?? -1 >= last.reach ?? -1, "session \(seed)")
        #expect(reading.scrolled ?? -1 >= last.scrolled ?? -1, "session \(seed)")
        #expect(reading.distance >= last.distance && reading.activeTime >= last.activeTime, "session \(seed)")
        #expect(last.reached50 == nil || reading.reached50 == last.reached50, "session \(seed)")
        last = reading
      }
      #expect((0...1).contains(last.reach ?? 0) && (0...1).contains(last.scrolled ?? 0), "session \(seed)")
      #expect((0...1).contains(last.toolbarHidden ?? 0), "session \(seed)")
      #expect((last.reached25 ?? .max) <= (last.reached100 ?? .max), "session \(seed)")
      #expect(last.distanceUp <= last.distance, "session \(seed)")
    }
  }

  @Test("A session cut in two gives the same distance and the same active time")
  func cutInTwo() {
    Self.sessions(10) { seed, events in
      let samples = events.filter { $0.y != nil && !$0.kind.isZoom && ($0.y ?? 0).magnitude < 1e9 }
      let whole = ReadingMeter.read(samples, policy: .safari)
      for cut in samples.indices {
        // The sample at the cut ends the first half and begins the second.
        let first = ReadingMeter.read(Array(samples[...cut]), policy: .safari)
        let second = ReadingMeter.read(Array(samples[cut...]), policy: .safari)
        #expect((first.distance + second.distance - whole.distance).magnitude < 1e-3, "session \(seed), cut \(cut)")
        #expect(
          (first.distanceUp + second.distanceUp - whole.distanceUp).magnitude < 1e-3, "session \(seed), cut \(cut)")
        #expect(first.activeTime + second.activeTime == whole.activeTime, "session \(seed), cut \(cut)")
        #expect(first.backwardSteps + second.backwardSteps == whole.backwardSteps, "session \(seed), cut \(cut)")
      }
    }
  }

  @Test("Absurd numbers give finite measures")
  func absurdNumbers() {
    for index in 0..<SeededRandom.cases(200) {
      let seed = SeededRandom.seedOfRun &+ index
      let reading = ReadingMeter.read(RandomSession.senseless(seed: seed, isAbsurd: true), policy: .safari)
      for measure in Reading.Measure.numbers {
        #expect(reading[measure]?.number?.isFinite != false, "session \(seed), \(measure)")
      }
    }
  }

  @Test("Flips, flickers and the hidden time are those of a comparison")
  func sameAsComparison() {
    Self.sessions(100) { seed, events in
      let policy = RandomSession.policy(seed: seed)
      let reading = ReadingMeter.read(events, policy: policy)
      let tally = Comparison([policy], sessions: [events]).tallies[0]
      #expect(reading.flips == tally.flips && reading.flickers == tally.flickers.count, "session \(seed)")
      let share = tally.duration > 0 ? Double(tally.hidden) / Double(tally.duration) : nil
      #expect(reading.toolbarHidden == share, "session \(seed)")
    }
  }
}
