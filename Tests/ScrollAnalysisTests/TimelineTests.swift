import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Timelines")
struct TimelineTests {
  @Test(
    "The drawings of recordings for a terminal are as documented",
    arguments: ["article-pinch", "article-to-bottom", "pager"])
  func drawingsOfRecordings(_ name: String) throws {
    let events = try Fixtures.recording(name, in: "recordings").events
    let timeline = Timeline(events, policies: [.safari, .classic], title: name)
    try Golden.expect(timeline.lines(width: 100, height: 12).joined(separator: "\n") + "\n", is: "timeline-\(name).txt")
  }

  @Test("The drawing in ASCII is as documented")
  func drawingInASCII() throws {
    let events = try Fixtures.recording("article-to-bottom", in: "recordings").events
    let lines = Timeline(events, policies: [.safari], title: "to-bottom").lines(width: 80, height: 8, style: .ascii)
    let isASCII = lines.allSatisfy { $0.unicodeScalars.allSatisfy(\.isASCII) }
    #expect(isASCII)
    try Golden.expect(lines.joined(separator: "\n") + "\n", is: "timeline-ascii.txt")
  }

  @Test("The SVG drawing is as documented")
  func picture() throws {
    let events = try Fixtures.recording("X02", in: "cases").events
    let timeline = Timeline(events, policies: [.safari, .safariArrival, .classic], title: "A jump after the reveal")
    try Golden.expect(timeline.svg(width: 900), is: "timeline-X02.svg")
  }

  @Test("Colours change no character")
  func colorsAddNothing() throws {
    let events = try Fixtures.recording("article-pinch", in: "recordings").events
    let timeline = Timeline(events, policies: [.safari, .classic])
    let colored = timeline.lines(width: 90, height: 6, style: .color)
    #expect(colored.contains { $0.contains("\u{1B}[32m") })
    #expect(colored.map(Self.withoutEscapes) == timeline.lines(width: 90, height: 6))
  }

  /// The session scrolls 60 points in three steps of one second. The band changes with the first step, in the second of
  /// three columns.
  @Test("A band changes in the column of the event's time")
  func bandsTellWhen() {
    let events = [0.0, 20, 40, 60].enumerated().map { index, y in
      var event = Event(.scroll, time: 1000 + Int64(index) * 1_000_000)
      event.x = 0
      event.y = y
      return event
    }
    let timeline = Timeline(events, policies: [.safari])
    #expect(timeline.duration == 3_000_000)
    let band = timeline.bands[0]
    #expect(band.hidden.points.map(\.time) == [0, 1_000_000])
    #expect(band.hidden.points.map(\.value) == [0, 1])
    #expect(band.marks.map(\.time) == [1_000_000])
    #expect(band.marks.map(\.event) == [1])
    #expect(band.marks.map(\.reason) == [.travelledDown(travelDown: 20, hideDistance: 10)])
    #expect(band.marks.map(\.offset) == [20])
    // 9 of 60 columns are the label and a space. A third of the other 51 is 17, and the next column changes.
    let line = timeline.lines(width: 60, height: 3).first { $0.hasPrefix("safari") }
    #expect(line == "safari   " + String(repeating: "█", count: 17) + "▓" + String(repeating: "░", count: 33))
  }

  @Test("Any size is clamped to what a screen can show")
  func anySizeCanBeAskedFor() {
    let timeline = Timeline([Event(.layout, time: 0)], policies: [.safari])
    #expect(timeline.lines(width: .max, height: .max).count == 505)
    #expect(timeline.lines(width: .min, height: .min).count == 8)
    #expect(timeline.svg(width: .max).contains("width=\"10000\""))
    #expect(timeline.svg(width: .min).contains("width=\"480\""))
  }

  @Test("The time axis stops while the clock runs backwards")
  func timeNeverRunsBackwards() {
    let events = [5, 7, 3, 6, 9].map { Event(.layout, time: Int64($0) * 1000) }
    #expect(Timeline(events, policies: []).duration == 4000)
  }

  @Test("The rest of a session is drawn after its clock was set back by an hour")
  func clockSetBack() {
    let events = [7200, 7201, 3600, 3602].map { Event(.layout, time: Int64($0) * 1_000_000) }
    #expect(Timeline(events, policies: []).duration == 3_000_000)
  }

  @Test("Titles lose their control characters and their markup")
  func namesAreMadeSafe() {
    let timeline = Timeline([], policies: [.safari], title: "<b>&\u{1B}[2J\"\u{FFFF}")
    let text = timeline.lines(width: 80, height: 3).joined()
    #expect(!text.contains("\u{1B}"))
    let svg = timeline.svg()
    #expect(svg.contains("&lt;b&gt;&amp;\u{FFFD}[2J&quot;\u{FFFD}"))
    #expect(Self.isBalanced(svg))
  }

  /// Nothing traps, no line is too wide, and every number is finite.
  @Test("Any session can be drawn in any size")
  func everySessionCanBeDrawn() {
    for index in 0..<UInt64(400) {
      let seed = SeededRandom.seedOfRun &+ index
      let timeline = Timeline(RandomSession.mixed(seed: seed), policies: [.safari, .classic], title: "\(seed)")
      let width = 40 + Int(seed % 100)
      let lines = timeline.lines(width: width, height: Int(seed % 20))
      #expect(lines.allSatisfy { $0.count <= width }, "session \(seed), width \(width)")
      let svg = timeline.svg(width: width * 10)
      #expect(!svg.contains("nan") && !svg.contains("inf\""), "session \(seed)")
      #expect(Self.isBalanced(svg), "session \(seed)")
      // A bounded number of points per pixel, however long the session.
      #expect(svg.utf8.count < 400_000, "session \(seed)")
    }
  }

  @Test("The size of a drawing does not grow with the session")
  func aLongSessionStaysSmall() throws {
    let events = try Fixtures.recording("article-read", in: "recordings").events
    var long: [Event] = []
    for round in 0..<50 {
      long += events.map { event in
        var event = event
        event.time += Int64(round) * 12_000_000
        return event
      }
    }
    let timeline = Timeline(long, policies: [.safari, .classic])
    #expect(timeline.svg().utf8.count < 250_000)
    #expect(timeline.lines(width: 100, height: 10).count == 20)
  }

  @Test("The heading never cuts a number, at any width")
  func headingKeepsNumbers() throws {
    let events = try Fixtures.recording("article-read", in: "recordings").events
    let timeline = Timeline(Array(events.prefix(60)), policies: [.safari], title: "A title of some length")
    let whole = timeline.lines(width: 200, height: 3)[0]
    let facts = String(whole.dropFirst("A title of some length: ".count))
    let short = String(facts.prefix { $0 != "," })
    #expect(facts != short)
    for width in 40...120 {
      let heading = timeline.lines(width: width, height: 3)[0]
      #expect(heading.count <= width)
      #expect(heading.hasSuffix(facts) || heading.hasSuffix(short), "\(width): \(heading)")
    }
  }

  @Test("A part of a session is drawn with its own times and values")
  func part() throws {
    let events = [0.0, 20, 40, 60].enumerated().map { index, y in
      var event = Event(.scroll, time: 1000 + Int64(index) * 1_000_000)
      event.x = 0
      event.y = y
      return event
    }
    let timeline = Timeline(events, policies: [.safari], part: 1_500_000...2_500_000)
    #expect(timeline.start == 1_500_000)
    #expect(timeline.duration == 1_000_000)
    #expect(timeline.eventCount == 1)
    #expect(timeline.offset.points.map(\.time) == [0, 500_000])
    #expect(timeline.offset.points.map(\.value) == [20, 40])
    #expect(timeline.bands[0].hidden.points.map(\.value) == [1])
    #expect(timeline.bands[0].marks.isEmpty)
    let lines = timeline.lines(width: 80, height: 4)
    #expect(lines[0] == "1 event in 1.000 s from 1.500 s")
    #expect(lines.contains { $0.contains("2 s") })
    #expect(Timeline(events, policies: [.safari], part: 0...(.max)) == Timeline(events, policies: [.safari]))
  }

  @Test("A flicker has a mark of its own, and the legend explains it")
  func flickersAreMarked() {
    let events = [(0, 300.0), (1_000_000, 320), (1_200_000, 300), (3_000_000, 300)].map { time, y in
      var event = Event(.scroll, time: Int64(time))
      event.x = 0
      event.y = y
      return event
    }
    let timeline = Timeline(events, policies: [.safari])
    #expect(timeline.bands[0].marks.map(\.isFlicker) == [false, true])
    let lines = timeline.lines(width: 80, height: 3)
    // 9 of 80 columns are the label and a space; 1.2 s of 3 s is in the 29th of the others.
    #expect(lines.contains("flicker  " + String(repeating: " ", count: 28) + "!"))
    #expect(lines.last?.contains("! turned back within 0.3 s") == true || lines.dropLast().last?.contains("! ") == true)
    #expect(timeline.svg().contains("; a flicker"))
  }

  @Test("The legend explains every sign of a drawing")
  func legendIsComplete() {
    let signs: Set<Character> = ["█", "░", "▓", "↓", "↑", "+", "−", "⤓", "⊤", "*", "!", "▂"]
    for index in 0..<UInt64(200) {
      let seed = SeededRandom.seedOfRun &+ index
      let timeline = Timeline(RandomSession.mixed(seed: seed), policies: [.safari, .classic])
      let lines = timeline.lines(width: 120, height: 3)
      let legendStart = lines.lastIndex { $0.contains("█ shown") } ?? 0
      let legend = Set(lines[legendStart...].joined(separator: " "))
      for line in lines[..<legendStart]
      where ["safari", "classic", "flicker", "latch", "        "].contains(where: line.hasPrefix) {
        guard !line.contains("│"), !line.contains("┤"), !line.contains("└"), !line.contains(" s") else { continue }
        // The range of the zoom is text, and its numbers may have an exponent: 1.8e+308.
        if line.drop(while: { $0 == " " }).hasPrefix("from ") { continue }
        let missing = signs.intersection(line).subtracting(legend)
        #expect(missing.isEmpty, "session \(seed): \(missing) in “\(line)”")
      }
    }
  }

  /// Whether every element is closed, in order.
  private static func isBalanced(_ svg: String) -> Bool {
    var names: [Substring] = []
    for piece in svg.split(separator: "<") {
      guard let end = piece.firstIndex(of: ">") else { return false }
      let tag = piece[..<end]
      let name = tag.prefix { $0 != " " && $0 != "/" }
      if tag.hasPrefix("/") {
        guard names.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        names.append(name)
      }
    }
    return names.isEmpty
  }

  private static func withoutEscapes(_ line: String) -> String {
    var text = ""
    var isEscape = false
    for character in line {
      if character == "\u{1B}" { isEscape = true }
      if !isEscape { text.append(character) }
      if character == "m" { isEscape = false }
    }
    return text
  }
}
