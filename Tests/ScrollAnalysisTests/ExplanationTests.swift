import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Explanations")
struct ExplanationTests {
  @Test("The explanations of all recordings are as documented")
  func explanationsOfTheRecordings() throws {
    var text = ""
    for name in try Fixtures.names(in: "recordings") {
      let recording = try Fixtures.recording(name, in: "recordings")
      for policy in [Policy.safari, .classic] {
        text += "# \(name), \(policy.name)\n\(Self.explain(recording, policy).lines().joined(separator: "\n"))\n\n"
      }
    }
    try Golden.expect(text, is: "explain-recordings.txt")
  }

  @Test("The explanations within and at the end of all cases are as documented")
  func explanationsOfTheCases() throws {
    var text = ""
    for name in try Fixtures.names(in: "cases") {
      let recording = try Fixtures.recording(name, in: "cases")
      for count in [recording.events.count * 2 / 3, recording.events.count] {
        let explanation = Self.explain(recording, .safari, count)
        text += "# \(name), after line \(recording.lines[count - 1])\n"
        text += explanation.lines().joined(separator: "\n") + "\n\n"
      }
    }
    try Golden.expect(text, is: "explain-cases.txt")
  }

  @Test("Before the first event, no trigger has fired")
  func beforeAnyEvent() {
    let lines = Explainer(.safari).explanation.lines()
    #expect(lines[0] == "The toolbar is shown (policy safari).")
    #expect(lines[1] == "No trigger has fired yet; a session begins with the toolbar shown.")
    #expect(Explainer(.safari).explanation.obstacles == [.noOffset])
  }

  /// With 2,000 points in a frame of 800, the bottom is at 1,200. Scrolling down from 300 to 320 hides. Scrolling up 2.5
  /// points leaves 7.5.
  @Test("An explanation gives the distance that is left")
  func theDistanceThatIsLeft() throws {
    var explainer = Explainer(.safari)
    for (number, event) in Self.drag(offsets: [300, 320, 317.5]).enumerated() {
      explainer.add(event, number: Int64(number + 1))
    }
    let explanation = explainer.explanation
    #expect(explanation.toolbar == .hidden)
    #expect(explanation.flip == explanation.decision)
    #expect(explanation.decision?.number == 3)
    #expect(explanation.decision?.reason == .travelledDown(travelDown: 20, hideDistance: 10))
    #expect(
      explanation.ways.map(\.text) == [
        "scroll up 7.5 more points, to 310",
        "scroll down 882.5 points, to the bottom, then stop, then pull again at the bottom",
      ])
    #expect(explanation.obstacles.isEmpty)
    #expect(
      explanation.lines { "\($0 / 1000) ms" }[1]
        == "Event 3, a scroll at 3 ms, hid it: the user had scrolled down 20 points; 10 are enough to hide.")
  }

  /// 900 points in a frame of 800 scroll by 100, less than 150.
  @Test("Short content can't hide the toolbar, and the explanation says so")
  func contentTooShortToHide() {
    var explainer = Explainer(.safari)
    for event in Self.drag(contentHeight: 900, largestScale: 1, offsets: [0, 90]) { explainer.add(event, number: 1) }
    #expect(explainer.explanation.ways.isEmpty)
    #expect(explainer.explanation.obstacles == [.shortContent(range: 100, minimumRange: 150)])
    #expect(
      explainer.explanation.lines().suffix(2) == [
        "Nothing that the user can do now would hide it:",
        "  - scrolling can't hide it: the content scrolls only 100 points, and minimumRange is 150",
      ])
  }

  /// At 1,195 of 1,200, five points are left and ten are needed: five up, then ten down.
  @Test("Near the bottom, the user must scroll up before scrolling down hides")
  func tooNearTheBottom() {
    var explainer = Explainer(.safari)
    for event in Self.drag(offsets: [1195, 1195]) { explainer.add(event, number: 1) }
    #expect(explainer.explanation.obstacles == [.nearBottom(left: 5, needed: 10)])
    #expect(
      explainer.explanation.ways.map(\.text) == [
        "scroll up 5 points, to 1190, then scroll down 10 points, to 1200", "zoom in beyond 1.05",
      ])
  }

  /// From a scale of 2, zooming out ends at 1.005 of the minimum.
  @Test("Zoomed in, zooming out shows the toolbar and the top does not")
  func zoomedIn() {
    var explainer = Explainer(.safari)
    for event in Self.drag(offsets: [400]) { explainer.add(event, number: 1) }
    var zoom = Event(.zoom, time: 10)
    zoom.zoomScale = 2
    explainer.add(zoom, number: 3)
    #expect(explainer.explanation.ways.map(\.text).contains("zoom out to 1.005"))
    #expect(explainer.explanation.obstacles == [.zoomedIn(zoomScale: 2)])
    #expect(explainer.explanation.obstacles[0].numbers.map(\.value) == [2])
  }

  /// The program scrolls up by 120 while the toolbar is hidden.
  @Test("Movement that a program caused is named, and the advice asks for the user's own")
  func movementOfAProgram() {
    var explainer = Explainer(.safari)
    for (number, event) in Self.drag(offsets: [300, 520]).enumerated() {
      explainer.add(event, number: Int64(number + 1))
    }
    explainer.add(Self.scroll(to: 400) { $0.source = .program }, number: 4)
    let explanation = explainer.explanation
    #expect(explanation.uncounted.map(\.text) == ["120 points up came from source program (event 4)"])
    #expect(explanation.ways[0].text == "scroll up 10 points, to 390, with source user")
    #expect(
      explanation.lines().contains("Since it turned, this did not count:"), "\(explanation.lines())")
    explainer.add(Self.scroll(to: 395), number: 5)
    #expect(explainer.explanation.ways[0].text == "scroll up 5 more points, to 390")
  }

  /// A feeder that adds up the lengths of all movements: the finger seems to move on upwards while the content goes up, too.
  @Test("Translations that only grow are named, and not answered by advice to scroll on")
  func translationsThatOnlyGrow() {
    var explainer = Explainer(.safari)
    for (number, event) in Self.drag(offsets: [300, 1200]).enumerated() {
      explainer.add(event, number: Int64(number + 1))
    }
    for step in 1...4 {
      let event = Self.scroll(to: 1200 - 212 * Double(step)) { $0.translationY = -900 - 212 * Double(step) }
      explainer.add(event, number: Int64(3 + step))
    }
    let explanation = explainer.explanation
    #expect(explanation.toolbar == .hidden)
    #expect(
      explanation.uncounted.map(\.text) == [
        "848 points up ran against the translations: does this feeder add them up over the session, or are they of the "
          + "wrong sign? (4 events, 4 to 7)"
      ])
    #expect(explanation.ways[0].text == "scroll up 10 points, to 342, with a translation that follows the content")
  }

  /// A finger that rests moves the content by a point up and down. Once, explain blamed the feeder for it, where check did not.
  @Test("Jitter of a point under a finger that rests is no mistake of the feeder, for explain as for check")
  func jitter() throws {
    let events = try Fixtures.recording("article-read", in: "recordings")
    var (explainer, checker) = (Explainer(.safari), FeedChecker())
    for (event, line) in zip(events.events, events.lines) {
      explainer.add(event, number: Int64(line))
      checker.add(event, number: Int64(line))
      #expect(checker.findings.isEmpty)
      let isBlamed = explainer.explanation.uncounted.contains { $0.isFeedersMistake }
      #expect(!isBlamed, "line \(line)")
    }
  }

  @Test("What ran against the finger is a mistake of the feeder only if check finds one")
  func oppositionLikeCheck() {
    for (step, count) in [(1.0, 4), (6.0, 2), (12.0, 2), (12.0, 3), (40.0, 5)] {
      var (explainer, checker) = (Explainer(.safari), FeedChecker())
      let following = Self.drag(offsets: [300] + (1...20).map { 300 + Double($0) * 20 }).map { event in
        var event = event
        if let y = event.y, event.kind == .scroll { event.translationY = 300 - y }
        return event
      }
      let against = (1...count).map { index in
        Self.scroll(to: 700 - step * Double(index)) { $0.translationY = -400 - step * Double(index) }
      }
      for (index, event) in (following + against).enumerated() {
        explainer.add(event, number: Int64(index + 1))
        checker.add(event, number: Int64(index + 1))
      }
      let isMistake = explainer.explanation.uncounted.contains { $0.isFeedersMistake }
      let isFound = checker.findings.contains { $0.problem == .translationsAgainstContent }
      #expect(isMistake == isFound && isFound == (step * Double(count) >= 30 && count >= 3), "\(step) \(count)")
    }
  }

  @Test("A push at the bottom without a translation is named, and the advice asks for one")
  func unseenPush() {
    var explainer = Explainer(.safari)
    for (number, event) in Self.drag(offsets: [300, 1200]).enumerated() {
      explainer.add(event, number: Int64(number + 1))
    }
    explainer.add(Self.scroll(.scrollEnd, to: 1200), number: 4)
    explainer.add(Self.scroll(to: 1200), number: 5)
    explainer.add(Self.scroll(to: 1200), number: 6)
    let explanation = explainer.explanation
    #expect(
      explanation.uncounted.map(\.text) == [
        "2 pushes at the bottom moved nothing and brought no new translationY (2 events, 5 to 6)"
      ])
    #expect(explanation.ways.map(\.text).contains("pull again at the bottom, with a translationY that changes"))
  }

  @Test("The plain rule's advice to scroll up says what was missing when the user just did")
  func wheelUnderThePlainRule() {
    var explainer = Explainer(.classic)
    for (number, event) in Self.drag(offsets: [300, 320, 290]).enumerated() {
      explainer.add(event, number: Int64(number + 1))
    }
    let explanation = explainer.explanation
    #expect(
      explanation.uncounted.map(\.text) == ["30 points up came without a finger below its starting point (event 4)"])
    #expect(explanation.ways[0].text == "scroll up, with a finger below its starting point")
  }

  @Test("Times since the start are not negative after the clock was set back")
  func clockSetBack() {
    var explainer = Explainer(.safari)
    var events = Self.drag(offsets: [300, 320])
    events[0].time = 3_600_000_000
    events[1].time = 3_600_017_000
    for (number, event) in events.enumerated() { explainer.add(event, number: Int64(number + 1)) }
    #expect(explainer.explanation.lines()[1].hasPrefix("Event 3, a scroll at +0.017 s, hid it"))
  }

  @Test("An explainer continues from a state")
  func fromAState() {
    var explainer = Explainer(.safari)
    for event in Self.drag(offsets: [300, 320]) { explainer.add(event, number: 1) }
    let later = Explainer(.safari, state: explainer.state).explanation
    #expect(later.toolbar == .hidden)
    #expect(later.decision == nil)
    #expect(later.ways == explainer.explanation.ways)
  }

  private static func explain(_ recording: Recording, _ policy: Policy, _ count: Int? = nil) -> Explanation {
    var explainer = Explainer(policy)
    for (line, event) in zip(recording.lines, recording.events).prefix(count ?? recording.events.count) {
      explainer.add(event, number: Int64(line))
    }
    return explainer.explanation
  }

  private static func scroll(
    _ kind: Event.Kind = .scroll, to y: Double, _ change: (inout Event) -> Void = { _ in }
  ) -> Event {
    var event = Event(kind, time: 1_000_000)
    event.x = 0
    event.y = y
    change(&event)
    return event
  }

  private static func drag(contentHeight: Double = 2000, largestScale: Double = 4, offsets: [Double]) -> [Event] {
    var layout = Event(.layout, time: 0)
    layout.contentHeight = contentHeight
    layout.frameHeight = 800
    layout.maximumZoomScale = largestScale
    let moves = offsets.enumerated().map { index, y in
      var event = Event(index == 0 ? .dragBegin : .scroll, time: Int64(index + 2) * 1000)
      event.x = 0
      event.y = y
      return event
    }
    return [layout] + moves
  }
}
