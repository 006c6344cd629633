import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Measures of hand-worked sessions")
struct ReadingTests {
  /// A second, in microseconds.
  private static let second: Int64 = 1_000_000
  private static let start: Int64 = 1_700_000_000_000_000

  private static func layout(
    _ seconds: Double, content: Double? = nil, frame: Double? = nil, top: Double? = nil, bottom: Double? = nil
  ) -> Event {
    var event = Event(.layout, time: start + Int64(seconds * 1e6))
    (event.contentHeight, event.frameHeight, event.insetTop, event.insetBottom) = (content, frame, top, bottom)
    return event
  }

  private static func scroll(
    _ seconds: Double, _ y: Double, _ kind: Event.Kind = .scroll, source: Event.Source? = nil
  ) -> Event {
    var event = Event(kind, time: start + Int64(seconds * 1e6))
    (event.x, event.y, event.source) = (0, y, source)
    return event
  }

  private static func read(
    _ events: [Event], closed: Double? = nil, bands: Int = 10, idle: Int64 = ReadingMeter.standardIdle
  ) -> Reading {
    ReadingMeter.read(
      events, closed: closed.map { start + Int64($0 * 1e6) }, policy: .safari, bands: bands, idle: idle)
  }

  /// 1,000 points of content in a frame of 200. The reader is at 0 for 4 s, at 300 for 6 s, at 800, the end, for 2 s.
  @Test("A reader who scrolls to the end")
  func anArticleToItsEnd() {
    let events = [
      Self.layout(0, content: 1000, frame: 200), Self.scroll(0, 0), Self.scroll(4, 300), Self.scroll(10, 800),
    ]
    let reading = Self.read(events, closed: 12)
    #expect(reading.events == 4)
    #expect(reading.duration == 12 * Self.second)
    #expect(reading.activeTime == 12 * Self.second)
    #expect(reading.backwardSteps == 0)
    #expect(reading.reach == 1)
    #expect(reading.scrolled == 1)
    #expect(reading.reached25 == 4 * Self.second)
    #expect(reading.reached50 == 4 * Self.second)
    #expect(reading.reached75 == 10 * Self.second)
    #expect(reading.reached90 == 10 * Self.second)
    #expect(reading.reached100 == 10 * Self.second)
    #expect(reading.bottomReached == 10 * Self.second)
    // 4 s over the bands 0 and 1, 6 s over 3 and 4, 2 s over 8 and 9.
    let bands: [Int64] = [2, 2, 0, 3, 3, 0, 0, 0, 1, 1]
    #expect(reading.bands == bands.map { $0 * Self.second })
    #expect(reading.distance == 800)
    #expect(reading.distanceUp == 0)
    #expect(reading.regressions == 0)
    // 300 points in 4,000 ms, then 500 in 6,000 ms. The second step begins 4,000 ms after the first.
    #expect(reading.meanSpeed == (0.075 + 500.0 / 6000) / 2)
    #expect(reading.maxSpeed == 500.0 / 6000)
    #expect(reading.minAcceleration == (500.0 / 6000 - 0.075) / 4000)
    #expect(reading.maxAcceleration == reading.minAcceleration)
    #expect(reading.depth == .complete)
    // Hidden from 4 s on.
    #expect(reading.toolbarHidden == 8.0 / 12)
    #expect(reading.flips == 1)
    #expect(reading.flickers == 0)
  }

  @Test("A session without events has no measure but counts and times of 0")
  func noEvents() {
    let reading = Self.read([])
    #expect(reading == Reading())
    #expect(reading.duration == 0 && reading.activeTime == 0 && reading.distance == 0)
    #expect(reading.reach == nil && reading.bands == nil && reading.toolbarHidden == nil)
    #expect(reading.depth == .bounce)
    #expect(Self.read([], closed: 5) == reading, "a close alone")
  }

  @Test("One sample has a place, and no movement")
  func oneSample() {
    let reading = Self.read([Self.layout(0, content: 1000, frame: 200), Self.scroll(0, 50)])
    #expect(reading.duration == 0 && reading.activeTime == 0)
    #expect(reading.reach == 0.25)
    #expect(reading.reached25 == 0)
    #expect(reading.scrolled == 50.0 / 800)
    #expect(reading.bands == Array(repeating: 0, count: 10))
    #expect(reading.distance == 0)
    #expect(reading.meanSpeed == nil && reading.maxSpeed == nil && reading.minAcceleration == nil)
    #expect(reading.toolbarHidden == nil)
  }

  @Test("What needs an unknown size is absent, and never 0")
  func unknownSizes() {
    for layout in [
      nil, Self.layout(0, content: 1000), Self.layout(0, frame: 200), Self.layout(0, content: 900, frame: 0),
    ] {
      let reading = Self.read([layout, Self.scroll(0, 0), Self.scroll(20, 500)].compactMap { $0 })
      #expect(reading.reach == nil && reading.scrolled == nil && reading.bands == nil)
      #expect(reading.reached25 == nil && reading.reached100 == nil)
      #expect(reading.depth == nil)
      #expect(reading.activeTime == 20 * Self.second)
      #expect(reading.distance == 500)
    }
  }

  @Test("Time before the sizes are known belongs to no band")
  func sizesThatComeLate() {
    let reading = Self.read([Self.scroll(0, 0), Self.layout(3, content: 1000, frame: 100), Self.scroll(5, 0)])
    #expect(reading.activeTime == 5 * Self.second)
    let bands: [Int64] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(reading.bands == bands.map { $0 * Self.second })
  }

  @Test("Content that grows later does not change how far somebody had got")
  func growingContent() {
    let reading = Self.read([
      Self.layout(0, content: 1000, frame: 500), Self.scroll(0, 0), Self.scroll(2, 500),
      Self.layout(3, content: 4000), Self.scroll(4, 600),
    ])
    #expect(reading.reach == 1)
    #expect(reading.reached100 == 2 * Self.second)
    // At 4 s the offset 600 of 3,500 is less than all of the range.
    #expect(reading.scrolled == 1)
    // 2 s over the upper half, 1 s over the lower half, 1 s over 500 to 1,000 of 4,000, a band and a quarter and so on.
    let expected: [Int64] = [4, 4 + 6, 4 + 4, 4, 4, 2, 2, 2, 2, 2]
    #expect(reading.bands == expected.map { $0 * 100_000 })
  }

  @Test("Content that shrinks shows more of itself")
  func shrinkingContent() {
    let reading = Self.read([
      Self.layout(0, content: 4000, frame: 500), Self.scroll(0, 0), Self.layout(2, content: 1000), Self.scroll(3, 0),
    ])
    #expect(reading.reach == 0.5)
    #expect(reading.reached25 == 2 * Self.second)
    #expect(reading.reached50 == 2 * Self.second)
    #expect(reading.reached75 == nil)
  }

  @Test("Overscroll reaches no further than the end, and its distance counts")
  func overscroll() {
    let reading = Self.read([
      Self.layout(0, content: 1000, frame: 200), Self.scroll(0, 0), Self.scroll(1, -60), Self.scroll(2, 0),
      Self.scroll(3, 850), Self.scroll(4, 800),
    ])
    #expect(reading.reach == 1 && reading.scrolled == 1)
    #expect(reading.distance == 60 + 60 + 850 + 50)
    #expect(reading.distanceUp == 60 + 50)
    #expect(reading.regressions == 2)
    #expect(reading.bands?.reduce(0, +) == 4 * Self.second)
    #expect(reading.bands?[0] == 1_500_000)
  }

  /// The range is −100 to 1,000 + 50 − 400.
  @Test("Insets belong to the content that is read, and to the range")
  func insets() {
    let events = [Self.layout(0, content: 1000, frame: 400, top: 100, bottom: 50), Self.scroll(0, -100)]
    let atTop = Self.read(events)
    #expect(atTop.reach == (-100 + 400 + 50) / 1150.0)
    #expect(atTop.scrolled == 0)
    let atBottom = Self.read(events + [Self.scroll(1, 650)])
    #expect(atBottom.reach == (650 + 400 + 50) / 1150.0)
    #expect(atBottom.scrolled == 1)
    // At the top, 300 points of the content are below the inset.
    #expect(atBottom.bands?.reduce(0, +) == Self.second)
    #expect(atBottom.bands?[2] == 333_333 && atBottom.bands?[3] == 0)
  }

  @Test("Zooming is no sample, but its offset is where the next one starts from")
  func zoom() {
    var zoom = Self.scroll(5, 120, .zoom)
    zoom.zoomScale = 2
    var larger = Self.layout(6, content: 2000)
    larger.minimumZoomScale = 1
    let reading = Self.read([
      Self.layout(0, content: 1000, frame: 200), Self.scroll(0, 0), zoom, larger, Self.scroll(8, 200),
    ])
    // The interval from 0 s to 6 s is one, in spite of the zoom in it.
    #expect(reading.activeTime == 8 * Self.second)
    #expect(
      Self.read([Self.scroll(0, 0), zoom, Self.scroll(8, 200)], idle: 6 * Self.second).activeTime == 6 * Self.second)
    #expect(reading.bands?[0] == 3 * Self.second + 800_000)
    #expect(reading.reach == 0.2)
    // The layout at 6 s is a sample at 120, moved there by no reader.
    #expect(reading.distance == 80)
    #expect(reading.meanSpeed == 200.0 / 8000)
  }

  @Test("A long pause counts as the idle time")
  func idleGaps() {
    let events = [
      Self.layout(0, content: 1000, frame: 100), Self.scroll(0, 0), Self.scroll(10, 100), Self.scroll(100, 200),
    ]
    #expect(Self.read(events, closed: 1000).activeTime == (10 + 30 + 30) * Self.second)
    #expect(Self.read(events, closed: 1000, idle: 5 * Self.second).activeTime == 15 * Self.second)
    #expect(Self.read(events, closed: 1000, idle: 0).activeTime == 0)
    #expect(Self.read(events, closed: 1000).duration == 1000 * Self.second)
    #expect(Self.read(events, closed: 1000).bands?.prefix(3) == [10_000_000, 30_000_000, 30_000_000])
  }

  @Test("An interval that ends before it begins counts 0 and is counted")
  func backwardTimes() {
    let events = [
      Self.layout(0, content: 1000, frame: 100), Self.scroll(0, 0), Self.scroll(10, 100), Self.scroll(5, 150),
      Self.scroll(15, 120),
    ]
    let reading = Self.read(events, closed: 12)
    #expect(reading.backwardSteps == 2)
    #expect(reading.activeTime == 20 * Self.second)
    #expect(reading.duration == 12 * Self.second)
    #expect(reading.distance == 180)
    #expect(reading.distanceUp == 30)
    #expect(reading.regressions == 1)
    // Only 0 to 10 s and 5 to 15 s have a speed.
    #expect(reading.maxSpeed == 0.01)
    #expect(reading.meanSpeed == (0.01 + 0.003) / 2)
    #expect(Self.read([Self.scroll(10, 0), Self.scroll(4, 10)]).duration == 0, "the clock was set back")
  }

  @Test("Movement by a relayout is not the reader's")
  func relayouts() {
    var moved = Self.layout(2, content: 1500)
    moved.y = 600
    let reading = Self.read([
      Self.layout(0, content: 1000, frame: 100), Self.scroll(0, 0), Self.scroll(1, 100),
      Self.scroll(1.5, 400, source: .layout), moved, Self.scroll(3, 650, source: .program),
    ])
    #expect(reading.distance == 100 + 50)
  }

  @Test("Drags and rests are samples, and only scroll events have a speed")
  func kinds() {
    let reading = Self.read([
      Self.scroll(0, 0, .dragBegin), Self.scroll(1, 40), Self.scroll(2, 60, .dragEnd), Self.scroll(3, 100),
      Self.scroll(4, 90, .scrollEnd), Self.scroll(4, 80),
    ])
    #expect(reading.distance == 120)
    #expect(reading.distanceUp == 20)
    #expect(reading.activeTime == 4 * Self.second)
    #expect(reading.maxSpeed == 0.03)
    #expect(reading.regressions == 1)
  }

  @Test("Two scroll events at the same time have no speed")
  func equalTimes() {
    let reading = Self.read([Self.scroll(0, 0), Self.scroll(0, 100), Self.scroll(1, 110)])
    #expect(reading.meanSpeed == 0.01 && reading.maxSpeed == 0.01)
    #expect(reading.minAcceleration == nil)
  }

  @Test("Content that fits its frame is complete at once, and scrolls nowhere")
  func shortContent() {
    let reading = Self.read([Self.layout(0, content: 300, frame: 600), Self.scroll(0, 0), Self.scroll(20, 0)])
    #expect(reading.reach == 1 && reading.reached100 == 0)
    #expect(reading.scrolled == nil)
    #expect(reading.depth == .complete)
    #expect(reading.bands == Array(repeating: 2 * Self.second, count: 10))
  }

  @Test(
    "The depth follows active time and reach",
    arguments: [
      (9.999, 1.0, Reading.Depth.bounce), (10, 0.5, .shallow), (10, 0.51, .deep), (10, 0.98, .complete),
    ])
  func depth(seconds: Double, reach: Double, depth: Reading.Depth) {
    let reading = Self.read([
      Self.layout(0, content: 1000, frame: 100), Self.scroll(0, 0), Self.scroll(seconds, reach * 1000 - 100),
    ])
    #expect(reading.depth == depth)
  }

  @Test("Every measure of the list has its value, and a meaning of its own")
  func measures() {
    let reading = Self.read(
      [Self.layout(0, content: 1000, frame: 200), Self.scroll(0, 0), Self.scroll(4, 300), Self.scroll(10, 800)],
      closed: 12)
    for measure in Reading.Measure.allCases { #expect(reading[measure] != nil, "\(measure)") }
    #expect(reading[.depth] == .word("complete"))
    #expect(reading[.activeTime] == .integer(12 * Self.second))
    #expect(Set(Reading.Measure.allCases.map(\.meaning)).count == Reading.Measure.allCases.count)
  }
}
