import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Checks of what a feeder sends")
struct FeedCheckerTests {
  /// What the shipped recordings and cases show. Each of these was made like that on purpose: F02 and F03 are pages that
  /// shift without saying so, X01 counts its times from 1, and X08 never sends its sizes.
  private static let expected: [String: [Finding.Problem]] = [
    "F02": [.unlabelledShift], "F03": [.unlabelledShift], "X01": [.timeUnit], "X08": [.noSizes],
  ]

  @Test("The shipped recordings and cases give no false alarm", arguments: ["cases", "recordings"])
  func noFalseAlarms(folder: String) throws {
    for name in try Fixtures.names(in: folder) {
      let recording = try Fixtures.recording(name, in: folder)
      let findings = Self.check(recording.events)
      #expect(findings.map(\.problem) == Self.expected[name, default: []], "\(name): \(findings.map(\.text))")
    }
  }

  @Test("Each section that a finding names is in the guide for feeders")
  func sectionsExist() throws {
    let guide = try ProjectFile.text("Sources/ScrollService/ScrollService.docc/Feeding.md")
    let headings = Set(guide.split(separator: "\n").filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) })
    for problem in Finding.Problem.allCases {
      #expect(headings.contains(problem.section), "\(problem.section)")
    }
  }

  @Test("A feeder that does everything right is not blamed")
  func aGoodFeed() {
    #expect(Self.check(Self.feed()).isEmpty)
  }

  @Test("Times in seconds, in milliseconds, or since the machine's start are found", arguments: [1e-6, 1e-3, 1e-9])
  func wrongUnits(factor: Double) {
    let events = Self.feed().map { event in
      var event = event
      event.time = Int64(Double(event.time) * factor)
      return event
    }
    let findings = Self.check(events)
    #expect(findings.map(\.problem) == [.timeUnit])
    #expect(findings.map(\.count) == [events.count])
  }

  @Test("A clock that was set back is found, and events that are slightly out of order are not")
  func backwards() {
    var events = Self.feed()
    events[9].time -= 5_000
    #expect(Self.check(events).isEmpty)
    events[9].time -= 3_600_000_000
    #expect(Self.check(events).map(\.problem) == [.timesBackwards])
    #expect(Self.check(events).map(\.number) == [10])
    #expect(Self.check(events)[0].observation == "the time is 59:59.988 before the last event's")
    // The newest first, as a database may give them.
    let times = events.map(\.time).sorted()
    for index in events.indices { events[index].time = times[0] + Int64(events.count - index) * 100_000 }
    #expect(Self.check(events).map(\.problem) == [.timesBackwards])
    #expect(Self.check(events).map(\.count) == [events.count - 1])
  }

  @Test("Offsets that no view of this size has are found, and pulls at the edges are not")
  func outside() {
    var events = Self.feed()
    guard let layout = events.first(where: { $0.contentHeight != nil }), let content = layout.contentHeight,
      let frame = layout.frameHeight, let last = events.lastIndex(where: { $0.kind == .scroll })
    else {
      Issue.record("the feed has no layout or no scroll")
      return
    }
    let bounds = (low: -(layout.insetTop ?? 0), high: content + (layout.insetBottom ?? 0) - frame)
    events = Array(events[...last])
    for (y, isOutside) in [
      (bounds.high + frame, false), (bounds.high + frame + 1, true), (bounds.low - frame, false),
      (bounds.low - frame - 1, true), (1e308, true),
    ] {
      events[last].y = y
      #expect(Self.check(events).contains { $0.problem == .offsetOutside } == isOutside, "\(y)")
    }
    events[last].y = bounds.high + frame + 12
    let observation = Self.check(events).map(\.observation).first ?? ""
    #expect(observation.hasSuffix(" is \(Int(frame + 12)) points beyond the end of the content"))
  }

  /// A session that rests at 3400, 200 points beyond the end of 4000 points in a frame of 800, for this long.
  private static func beyond(
    by distance: Double = 200, seconds: Double, ends: Bool, drags: Bool = false
  ) -> [Event] {
    let start = layout(y: 0)
    var events = timed([start, event(.scroll, y: 3000), event(.scroll, y: 3100)])
    let last = events[2].time
    let kinds: [Event.Kind] = drags ? [.dragBegin, .scroll, .scroll, .scroll] : [.scroll, .scroll, .scroll]
    for (index, kind) in kinds.enumerated() {
      var event = event(kind, y: 3200 + distance)
      event.time = last + 16_667 + Int64(Double(index) / Double(kinds.count - 1) * seconds * 1e6)
      events.append(event)
    }
    if ends {
      var end = event(.scrollEnd, y: 3200 + distance)
      end.time = events[events.count - 1].time + 16_667
      events.append(end)
    }
    var back = event(.scroll, y: 3100)
    back.time = events[events.count - 1].time + 16_667
    return events + [back]
  }

  @Test("Content that stays beyond its end is found, and one that bounces back or is held by a finger is not")
  func staysOutside() {
    #expect(Self.check(Self.beyond(seconds: 0.9, ends: false)).isEmpty)
    #expect(Self.check(Self.beyond(seconds: 60, ends: false, drags: true)).isEmpty)
    #expect(Self.check(Self.beyond(by: 8, seconds: 60, ends: true)).isEmpty)
    for (events, count) in [
      (Self.beyond(seconds: 1.1, ends: false), 3), (Self.beyond(seconds: 0.1, ends: true), 4),
      (Self.beyond(seconds: 60, ends: true, drags: true), 4),
    ] {
      let findings = Self.check(events)
      #expect(findings.map(\.problem) == [.offsetOutside])
      #expect(findings.map(\.count) == [count])
      #expect(findings.first?.number == Int64(events.firstIndex { $0.kind == .scroll && $0.y == 3400 } ?? 0) + 1)
      #expect(
        findings.first?.observation
          == "the offset stays up to 200 points beyond the end of the content, as if contentHeight were 4200 and not 4000"
      )
    }
    // All such stays and offsets that are a frame outside are one finding.
    let far = Self.beyond(by: 900, seconds: 0.1, ends: false)
    #expect(Self.check(far).map(\.count) == [3])
    #expect(Self.check(far).first?.observation == "the offset 4100 is 900 points beyond the end of the content")
    let both =
      far
      + Self.beyond(seconds: 2, ends: true).dropFirst().map { event in
        var event = event
        event.time += 10_000_000
        return event
      }
    #expect(Self.check(both).map(\.problem) == [.offsetOutside])
    #expect(Self.check(both).map(\.count) == [7])
  }

  @Test(
    "A height that is too small is found in a recording of somebody who read to the end", arguments: [9000.0, 7000])
  func heightTooSmall(height: Double) throws {
    var events = try Fixtures.recording("article-to-bottom", in: "recordings").events
    for index in events.indices where events[index].contentHeight != nil { events[index].contentHeight = height }
    let finding = try #require(Self.check(events).first { $0.problem == .offsetOutside })
    let end = height - 844
    #expect(finding.count >= 40)
    #expect(
      finding.observation.hasSuffix("as if contentHeight were 9666 and not \(Int(height))"), "\(finding.observation)")
    let first = try #require(events.firstIndex { $0.kind == .scroll && ($0.y ?? 0) > end + 8 })
    #expect(finding.number >= Int64(first))
  }

  @Test("An inset at the top that is not sent is found")
  func insetMissing() {
    var events = Self.timed([Self.layout(y: 0), Self.event(.scroll, y: -60), Self.event(.scrollEnd, y: -60)])
    #expect(
      Self.check(events).map(\.observation) == [
        "the offset stays up to 60 points before the beginning of the content, as if insetTop were 60 and not 0"
      ])
    events[0].insetTop = 60
    #expect(Self.check(events).isEmpty)
  }

  @Test("A view whose sizes never come is found, and one whose sizes come a little late is not")
  func sizes() {
    let events = Self.feed()
    #expect(Self.check(events.filter { $0.kind != .layout }).map(\.problem) == [.noSizes])
    #expect(Self.check([events[1], events[0]] + events[2...]).isEmpty)
    var flat = events
    for index in flat.indices { flat[index].frameHeight = flat[index].frameHeight.map { _ in 0 } }
    #expect(Self.check(flat).map(\.problem) == [.noSizes])
  }

  @Test("Translations that continue in the next drag are found")
  func translationsOverDrags() {
    var events = Self.feed()
    var offset = 0.0
    for index in events.indices {
      if events[index].kind == .dragBegin, index > 1 { offset = -400 }
      events[index].translationY = events[index].translationY.map { $0 + offset }
    }
    let findings = Self.check(events)
    #expect(findings.map(\.problem) == [.translationsAddUp])
    #expect(
      findings.first?.observation
        == "translationY is -440 when a gesture begins, after -400 at the end of the one before, and the content moved "
        + "40 points")
  }

  @Test("A wheel whose translation is the sum since the session began is found")
  func wheelThatAddsUp() {
    var events = [Self.layout()]
    for notch in 1...12 {
      events.append(Self.event(.scroll, y: Double(notch) * 120) { $0.translationY = -120 * Double(notch) })
      if notch % 3 == 0 { events.append(Self.event(.scrollEnd, y: Double(notch) * 120)) }
    }
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.translationsAddUp])
  }

  @Test("A wheel that pushes on at the bottom may add up its translation")
  func pushesAddUp() {
    var events = [
      Self.layout(), Self.event(.scroll, y: 3100), Self.event(.scroll, y: 3200), Self.event(.scrollEnd, y: 3200),
    ]
    for push in 1...40 {
      events.append(Self.event(.scroll, y: 3200) { $0.translationY = -12 * Double(push) })
      if push % 5 == 0 { events.append(Self.event(.scrollEnd, y: 3200)) }
    }
    #expect(Self.check(Self.timed(events)).isEmpty)
  }

  @Test("Translations that only grow while the content goes up are found", arguments: [-1.0, 1.0])
  func translationsAgainstContent(sign: Double) {
    // The finger's distance without its sign, and the finger's distance with the wrong sign.
    var events = [Self.layout(), Self.event(.scroll, y: 2000), Self.event(.dragBegin, y: 2000)]
    for step in 1...6 {
      let y = 2000 + sign * 30 * Double(step)
      events.append(Self.event(.scroll, y: y) { $0.translationY = sign * 30 * Double(step) })
    }
    let findings = Self.check(Self.timed(events))
    // Nothing has shifted the content: advice to label it would silence the user's own scrolling.
    #expect(findings.map(\.problem) == [.translationsAgainstContent])
    #expect(findings.map(\.count) == [4])
    #expect(
      findings.first?.observation.hasSuffix("it has the wrong sign, or is not the distance since the drag began")
        == true)
  }

  @Test("A wheel's translations that alternate are blamed, and not the content")
  func translationsOfAWheel() {
    let events = (1...20).map { step in
      Self.event(.scroll, y: 40 * Double(step)) { $0.translationY = step.isMultiple(of: 2) ? -12 : -24 }
    }
    let findings = Self.check(Self.timed([Self.layout()] + events))
    #expect(findings.map(\.problem) == [.translationsAgainstContent])
    #expect(findings.map(\.count) == [10])
  }

  @Test(
    "Translations that give the distance since the last event are found",
    arguments: [[20], [4, 9, 15, 22, 30, 26, 18, 12, 7, 3]])
  func translationsPerEvent(speeds: [Int]) {
    var events = [Self.layout()]
    var y = 0.0
    for _ in 1...3 {
      events.append(Self.event(.dragBegin, y: y))
      for speed in Array(repeating: speeds, count: 10 / speeds.count).joined() {
        y += Double(speed)
        events.append(Self.event(.scroll, y: y) { $0.translationY = -Double(speed) })
      }
      events.append(Self.event(.dragEnd, y: y))
    }
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.translationsPerEvent])
  }

  @Test("Content that the app shifts in some events of a drag is found, and the translations are not blamed")
  func shiftsUnderAFinger() {
    var events = [Self.layout(), Self.event(.scroll, y: 1000)]
    for drag in 0..<4 {
      let start = 1000 + 140 * Double(drag)
      events.append(Self.event(.dragBegin, y: start))
      for step in 1...12 {
        // The header collapses at the fourth event.
        let y = start + 20 * Double(step) - (step >= 4 ? 100 : 0)
        events.append(Self.event(.scroll, y: y) { $0.translationY = -20 * Double(step) })
      }
      events.append(Self.event(.dragEnd, y: start + 140))
    }
    let findings = Self.check(Self.timed(events))
    #expect(findings.map(\.problem) == [.unlabelledShift])
    #expect(findings.map(\.count) == [4])
  }

  @Test("Translations that are still sent while the content moves on after a drag are found")
  func translationsAfterDrag() {
    var events = Self.feed()
    let end = events.removeLast()
    for step in 1...4 { events.append(Self.event(.scroll, y: 830 + 10 * Double(step)) { $0.translationY = -400 }) }
    events.append(Self.event(.scrollEnd, y: end.y ?? 0))
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.translationsAfterDrag])
  }

  @Test("Layouts whose y moves with every scroll are found, with or without a change of size")
  func layoutsThatScroll() {
    for isGrowing in [false, true] {
      var events = [Self.layout(), Self.event(.scroll, y: 0)]
      for step in 1...8 {
        events.append(Self.layout(y: 40 * Double(step), height: isGrowing ? 4000 + 500 * Double(step) : 4000))
        events.append(Self.event(.scroll, y: 40 * Double(step)))
      }
      let findings = Self.check(Self.timed(events))
      #expect(findings.map(\.problem) == [.layoutsFollowScrolling])
      #expect(findings.map(\.number) == [3])
      #expect(findings.map(\.count) == [8])
    }
  }

  @Test("A layout that moves the offset because less is left to scroll is not found")
  func layoutsThatClamp() {
    var events = [Self.layout(), Self.event(.scroll, y: 3200)]
    for step in 1...8 {
      let height = 4000 - 100 * Double(step)
      events.append(Self.layout(y: height - 800, height: height))
      events.append(Self.event(.scroll, y: height - 800) { $0.source = .layout })
    }
    #expect(Self.check(Self.timed(events)).isEmpty)
  }

  @Test("Content that shifts without a source is found, and with one it is not")
  func shifts() {
    var events = [Self.layout(), Self.event(.scroll, y: 900), Self.event(.scroll, y: 1000), Self.layout(height: 4300)]
    #expect(Self.check(Self.timed(events + [Self.event(.scroll, y: 1300) { $0.source = .layout }])).isEmpty)
    events.append(Self.event(.scroll, y: 1300))
    let findings = Self.check(Self.timed(events))
    #expect(findings.map(\.problem) == [.unlabelledShift])
    #expect(
      findings.first?.observation
        == "the content moved down 300 points, just as far as it had grown, and the event names no source")
  }

  @Test(
    "Content that shifts without a source is found although other scrolls have one",
    arguments: [Event.Source.layout, .program])
  func shiftsBesideLabels(source: Event.Source) {
    let events = [
      Self.layout(), Self.event(.scroll, y: 900) { $0.source = source }, Self.event(.scroll, y: 1000),
      Self.layout(height: 4300), Self.event(.scroll, y: 1300),
    ]
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.unlabelledShift])
    #expect(Self.check(Self.timed(events)).map(\.number) == [5])
  }

  @Test("Pushes at the bottom whose translations have the wrong sign are found")
  func pushesWithWrongSign() {
    var events = [
      Self.layout(), Self.event(.scroll, y: 3100), Self.event(.scroll, y: 3200), Self.event(.scrollEnd, y: 3200),
    ]
    for push in 1...4 { events.append(Self.event(.scroll, y: 3200) { $0.translationY = 12 * Double(push) }) }
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.pushesWithWrongSign])
  }

  @Test(
    "Pushes at the bottom after a pause that no scrollEnd reports are found, and pushes in the movement's course are not"
  )
  func pushesWithoutRest() {
    let arrival = [Self.layout(), Self.event(.scroll, y: 3100), Self.event(.scroll, y: 3200)]
    let pushes = (1...3).map { push in Self.event(.scroll, y: 3200) { $0.translationY = -12 * Double(push) } }
    #expect(Self.check(Self.timed(arrival + pushes)).isEmpty)
    var late = Self.timed(arrival + pushes)
    for index in arrival.count..<late.count { late[index].time += 400_000 }
    #expect(Self.check(late).map(\.problem) == [.pushesWithoutRest])
    #expect(Self.check(late).map(\.count) == [3])
    var rested = Self.timed(arrival + [Self.event(.scrollEnd, y: 3200)] + pushes)
    for index in (arrival.count + 1)..<rested.count { rested[index].time += 400_000 }
    #expect(Self.check(rested).isEmpty)
    var dragged = Self.timed([Self.layout(), Self.event(.dragBegin, y: 3200)] + pushes)
    for index in 3..<dragged.count { dragged[index].time += 400_000 }
    #expect(Self.check(dragged).isEmpty)
  }

  @Test("Pushes at the bottom that have no translation are found")
  func pushes() {
    var events = [
      Self.layout(), Self.event(.scroll, y: 3100), Self.event(.scroll, y: 3200), Self.event(.scrollEnd, y: 3200),
    ]
    events += [Self.event(.scroll, y: 3200), Self.event(.scroll, y: 3200)]
    #expect(Self.check(Self.timed(events)).map(\.problem) == [.pushesWithoutTranslation])
  }

  @Test("Any session can be checked, and each problem is found at most once")
  func anySession() {
    for index in 0..<SeededRandom.cases(100) {
      let seed = SeededRandom.seedOfRun &+ index
      let events = RandomSession.mixed(seed: seed)
      let findings = Self.check(events)
      #expect(Set(findings.map { "\($0.problem)" }).count == findings.count, "session \(seed)")
      #expect(findings.allSatisfy { (1...Int64(events.count)).contains($0.number) }, "session \(seed)")
      #expect(findings.allSatisfy { (1...events.count).contains($0.count) }, "session \(seed)")
    }
  }

  private static func check(_ events: [Event]) -> [Finding] {
    var checker = FeedChecker()
    for (index, event) in events.enumerated() { checker.add(event, number: Int64(index + 1)) }
    return checker.findings
  }

  /// Two drags of 400 points in steps of 40, each with its own translation, and momentum after the second.
  private static func feed() -> [Event] {
    var events = [layout()]
    for drag in 0..<2 {
      let start = Double(drag) * 400
      events.append(event(.dragBegin, y: start))
      for step in 1...10 {
        let moved = 40 * Double(step)
        events.append(event(.scroll, y: start + moved) { $0.translationY = -moved })
      }
      events.append(event(.dragEnd, y: start + 400) { $0.translationY = -400 })
    }
    events += [event(.scroll, y: 820), event(.scroll, y: 830), event(.scrollEnd, y: 830)]
    return timed(events)
  }

  private static func layout(y: Double? = nil, height: Double = 4000) -> Event {
    var event = Event(.layout, time: 0)
    event.contentHeight = height
    event.frameHeight = 800
    event.y = y
    return event
  }

  private static func event(_ kind: Event.Kind, y: Double, _ change: (inout Event) -> Void = { _ in }) -> Event {
    var event = Event(kind, time: 0)
    event.x = 0
    event.y = y
    change(&event)
    return event
  }

  /// Gives the events the times of frames, beginning in November 2026.
  private static func timed(_ events: [Event]) -> [Event] {
    events.enumerated().map { index, event in
      var event = event
      event.time = 1_795_997_872_000_000 + Int64(index) * 16_667
      return event
    }
  }
}
