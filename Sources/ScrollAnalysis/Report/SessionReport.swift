import ScrollModel

/// A page about one session: what was on screen at each moment, and what each policy did.
///
///     let report = SessionReport(ReportSubject(name: "article"), events, numbers: lines, reading: reading, policies: [.safari])
///     print(report.html)
///
/// The page needs no network and no other file. Without JavaScript, its pictures and tables are there all the same; with it, you
/// can go to any event.
public struct SessionReport {
  /// The most transitions of all policies that the page lists, but at least ``listedTransitionsOfPolicy`` of each. The script
  /// knows all of them.
  private static let listedTransitions = 200
  private static let listedTransitionsOfPolicy = 50

  let subject: ReportSubject
  let events: [Event]
  let numbers: [Int64]
  let numbersAreLines: Bool
  private let reading: Reading
  private let tallies: [PolicyTally]
  let tracks: [ReportTrack]
  let times: [Int64]
  let curve: ReportCurve

  /// Folds a session.
  ///
  /// - Parameters:
  ///   - numbers: Each event's number in the session, or line in the file.
  ///   - numbersAreLines: Whether these are lines.
  ///   - closed: The time of the closing; `nil` without one.
  ///   - reading: The measures, with those of the toolbar by the first policy.
  ///   - policies: At least one.
  public init(
    _ subject: ReportSubject, _ events: [Event], numbers: [Int64], numbersAreLines: Bool = false, closed: Int64? = nil,
    reading: Reading, policies: [Policy]
  ) {
    self.subject = subject
    self.events = events
    self.numbers = numbers
    self.numbersAreLines = numbersAreLines
    self.reading = reading
    var clock = SessionClock()
    let times = events.map { clock.advance(to: $0.time) }
    self.times = times
    tracks = policies.map { ReportTrack($0, events, times: times) }
    tallies = Comparison(policies, sessions: [events], closings: [closed]).tallies
    curve = ReportCurve(events, closed: closed, columns: 1000)
  }

  /// The page.
  public var html: String {
    let body = header + scrubber + picture + flickers + transitions + comparison + measures
    return ReportPage.page(title: "\(subject.heading) – scroll report", body: body, data: data)
  }

  /// What the events' numbers are.
  var numbered: String { numbersAreLines ? "Line" : "Event" }

  /// The name of the policy by which the toolbar is measured.
  private var firstPolicy: String { ReportPage.html(tracks[0].policy.name) }

  /// How many transitions of a policy, and as many flickers, the page lists.
  private var listLength: Int { max(Self.listedTransitionsOfPolicy, Self.listedTransitions / tracks.count) }

  // MARK: Sections

  private var header: String {
    var facts: [String] = []
    if let client = subject.client { facts.append("<bdi>\(ReportPage.html(client))</bdi>") }
    if let application = subject.application { facts.append("<bdi>\(ReportPage.html(application))</bdi>") }
    if let opened = subject.opened { facts.append("opened \(ReportPage.date(opened))") }
    facts.append(events.count == 1 ? "1 event" : "\(events.count) events")
    if let session = subject.session { facts.append("session <code>\(ReportPage.html(session))</code>") }
    let whose = tracks.count > 1 ? ", \(firstPolicy)" : ""
    let tiles: [(String, Reading.Measure)] = [
      ("Active time", .activeTime), ("Reach", .reach), ("Depth", .depth), ("Distance, points", .distance),
      ("Turned back", .regressions), ("Toolbar flips\(whose)", .flips), ("Flickers\(whose)", .flickers),
    ]
    return """
      <header><h1><bdi>\(ReportPage.html(subject.heading))</bdi></h1>
      <p class="facts">\(facts.joined(separator: " · "))</p></header>
      \(ReportParts.tiles(tiles.map { ($0.0, ReportParts.data(reading, $0.1)) }))
      """
  }

  /// Shows one moment. The script fills it, and shows it.
  private var scrubber: String {
    var text = """
      <section id="moment" class="card" aria-labelledby="moment-heading" hidden>
      <h2 id="moment-heading">One moment</h2>
      <div class="stage">
      <svg class="page" viewBox="0 0 120 300" role="img" aria-label="The page, with the part that is on screen">
      <rect class="sheet" x="10" y="0" width="100" height="300" rx="4"/>
      \(attention)<g class="prose">\(Self.prose(width: 76, height: 300, x: 22))</g>
      <rect id="viewport" class="viewport" x="6" y="0" width="108" height="30" rx="4"/></svg>
      <div class="screens">

      """
    for (index, track) in tracks.enumerated() {
      let name = ReportPage.html(track.policy.name)
      text += """
        <figure class="screen" data-policy="\(index)"><svg viewBox="0 0 120 190" aria-hidden="true">
        <rect class="sheet" x="2" y="2" width="116" height="186" rx="10"/>
        <g class="prose">\(Self.prose(width: 92, height: 230, x: 14))</g>
        <g class="bar"><path d="M2 158H118V178A10 10 0 0 1 108 188H12A10 10 0 0 1 2 178Z"/>\
        <circle cx="30" cy="173" r="4"/><circle cx="60" cy="173" r="4"/><circle cx="90" cy="173" r="4"/></g>
        <rect class="edge" x="2" y="2" width="116" height="186" rx="10"/></svg>
        <figcaption><b>\(name)</b> <span class="toolbar"></span><small class="why"></small></figcaption></figure>

        """
    }
    return text + """
      </div>
      <dl class="now"><div><dt>Time</dt><dd id="now-time"></dd></div><div><dt>\(numbered)</dt><dd id="now-event"></dd></div>\
      <div><dt>Offset</dt><dd id="now-offset"></dd></div><div><dt>On screen</dt><dd id="now-screen"></dd></div></dl>
      </div>
      <div class="controls"><button type="button" id="back">◂ <span>Previous change</span></button>
      <label for="seek" class="hide">Event</label>
      <input type="range" id="seek" min="0" max="\(max(0, events.count - 1))" value="0" step="1">
      <button type="button" id="next"><span>Next change</span> ▸</button></div>
      <p class="hint">Drag, or use the arrow keys, Page Up and Page Down. Click the picture below to go to a time.</p>
      </section>

      """
  }

  /// Lines that look like text.
  private static func prose(width: Int, height: Int, x: Int) -> String {
    var path = ""
    for (index, y) in stride(from: 12, to: height, by: 12).enumerated() {
      path += "M\(x) \(y)h\(index % 5 == 4 ? width / 2 : width - index % 3 * 6)"
    }
    return "<path d=\"\(path)\"/>"
  }

  /// The active time of the page's parts, as shades.
  private var attention: String {
    guard let bands = reading.bands, let most = bands.max(), most > 0 else { return "" }
    let height = 300 / Double(bands.count)
    var text = "<g class=\"heat\">"
    for (index, time) in bands.enumerated() where time > 0 {
      let share = Double(time) / Double(most)
      text += "<rect x=\"10\" y=\"\(SVGWriter.number(Double(index) * height))\" width=\"100\" "
      text +=
        "height=\"\(SVGWriter.number(height + 0.1))\" fill-opacity=\"\(NumberText.rounded(share * 0.6, places: 2))\"/>"
    }
    return text + "</g>"
  }

  private var picture: String {
    let seconds = Double(curve.duration) / 1_000_000
    var text = """
      <section class="card" aria-labelledby="picture-heading"><h2 id="picture-heading">The session over time</h2>
      <p class="legend"><span><span class="key line"></span>offset</span> <span><span class="key area"></span>on screen</span> \
      \(endLegend)<span><span class="key hidden"></span>toolbar hidden</span> \
      <span><span class="key heat"></span>active time</span></p>
      <div class="chart">
      <svg class="axis-y" aria-hidden="true">
      """
    for value in AxisTicks(0...curve.depth, room: 6).values {
      let y = NumberText.rounded(value / curve.depth * 100, places: 2)
      text += "<text x=\"100%\" y=\"\(y)%\" dx=\"-6\" dy=\"\(value == 0 ? 10 : 4)\">\(NumberText.rounded(value))</text>"
    }
    let summary =
      "Offset over \(NumberText.seconds(curve.duration)): reach \(reading.text(of: .reach)), distance "
      + "\(reading.text(of: .distance)) points"
    text += """
      </svg>
      <div class="plot" id="plot"><svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(summary)">
      \(grid(seconds))<path class="area" d="\(curve.area)"/><path class="end" d="\(curve.end)"/>\
      <path class="line" d="\(curve.line)"/></svg><svg class="overlay" aria-hidden="true"><line class="cursor" y1="0" y2="100%"/></svg></div>
      <svg class="strip" viewBox="0 0 100 300" preserveAspectRatio="none" role="img" \
      aria-label="Active time by part of the content">\(strip)</svg>

      """
    for track in tracks { text += band(track) }
    text += "<span class=\"corner\"></span><svg class=\"axis-x\" aria-hidden=\"true\">"
    for value in AxisTicks(seconds: 0...seconds, room: 8).values {
      let x = value / seconds * 100
      let anchor = x < 2 ? "start" : x > 96 ? "end" : "middle"
      text +=
        "<text x=\"\(NumberText.rounded(x, places: 2))%\" y=\"14\" text-anchor=\"\(anchor)\">\(AxisTicks.clock(value))</text>"
    }
    return text + "</svg></div>\n" + bandTable + "</section>\n"
  }

  /// What the picture has of the end of the content.
  private var endLegend: String {
    guard let content = curve.content else { return "" }
    if !curve.end.isEmpty { return "<span><span class=\"key end\"></span>end of the content</span> " }
    return "<span>the content ends at \(NumberText.rounded(content)) points, below the picture</span> "
  }

  private func grid(_ seconds: Double) -> String {
    var path = ""
    for value in AxisTicks(seconds: 0...seconds, room: 8).values {
      path += "M\(NumberText.rounded(value / seconds * 1000, places: 1)) 0V300"
    }
    for value in AxisTicks(0...curve.depth, room: 6).values {
      path += "M0 \(NumberText.rounded(value / curve.depth * 300, places: 1))H1000"
    }
    return "<path class=\"grid\" d=\"\(path)\"/>"
  }

  /// The active time of the content's parts beside the picture.
  private var strip: String {
    guard let bands = reading.bands, let content = curve.content, content > 0, let most = bands.max(), most > 0 else {
      return ""
    }
    let height = content / Double(bands.count) / curve.depth * 300
    var path = ""
    for (index, time) in bands.enumerated() where time > 0 {
      let y = Double(index) * height
      if y > 300 { break }
      let width = max(1, Double(time) / Double(most) * 100)
      path += "M0 \(SVGWriter.number(y))H\(SVGWriter.number(width))v\(SVGWriter.number(height))H0Z"
    }
    return "<path class=\"bars\" d=\"\(path)\"/>"
  }

  private func band(_ track: ReportTrack) -> String {
    let name = ReportPage.html(track.policy.name)
    var path = ""
    for span in track.hidden(until: curve.duration) {
      let start = Double(span.lowerBound) / Double(curve.duration) * 1000
      let end = Double(span.upperBound) / Double(curve.duration) * 1000
      path += "M\(SVGWriter.number(start)) 0H\(SVGWriter.number(end))V20H\(SVGWriter.number(start))Z"
    }
    return """
      <span class="lane">\(name)</span><div class="plot band"><svg viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" \
      aria-label="When \(name) hid the toolbar"><rect class="shown" width="1000" height="20"/>\
      <path class="hidden" d="\(path)"/></svg>\
      <svg class="overlay" aria-hidden="true"><line class="cursor" y1="0" y2="100%"/></svg></div><span class="corner"></span>

      """
  }

  private var bandTable: String {
    guard let bands = reading.bands else { return "" }
    let rows = bands.enumerated().filter { $0.element > 0 }.map { index, time in
      let (from, to) = (Double(index) / Double(bands.count), Double(index + 1) / Double(bands.count))
      return [
        "\(Reading.Measure.reach.text(from)) to \(Reading.Measure.reach.text(to))",
        "<data value=\"\(time)\">\(Reading.Measure.activeTime.text(Double(time)))</data>",
      ]
    }
    let table = ReportParts.table("Active time by part of the content", ["Part", "Active time"], numeric: [1], rows)
    return "<details><summary>Active time as a table</summary>\(table)</details>\n"
  }

  private var flickers: String {
    var text =
      "<section class=\"card\" aria-labelledby=\"flickers-heading\"><h2 id=\"flickers-heading\">Flickers</h2>\n"
    let rows = zip(tallies, tracks).flatMap { tally, track in
      tally.flickers.prefix(listLength).map { flicker in
        [
          link(flicker.event, NumberText.sinceStart(flicker.sinceStart)), "\(numbers[flicker.event])",
          ReportPage.html(track.policy.name), NumberText.seconds(flicker.elapsed),
        ]
      }
    }
    if rows.isEmpty {
      text += "<p>The toolbar never turned back within 300 ms.</p>\n"
    } else {
      text += ReportParts.table(
        "Turns back within 300 ms", ["Time", numbered, "Policy", "Turned back after"], numeric: [1, 3], rows)
      for (tally, track) in zip(tallies, tracks) where tally.flickers.count > listLength {
        let count = tally.flickers.count - listLength
        text += "<p>\(ReportPage.html(track.policy.name)) has \(count) more, which “compare --json” lists.</p>\n"
      }
    }
    return text + "</section>\n"
  }

  private var transitions: String {
    var text =
      "<section class=\"card\" aria-labelledby=\"changes-heading\"><h2 id=\"changes-heading\">Changes and reasons</h2>\n"
    for track in tracks {
      let changes = track.changes.filter { !$0.changed.isEmpty }
      let rows = changes.prefix(listLength).map { change in
        [
          link(change.event, NumberText.sinceStart(change.time)), "\(numbers[change.event])",
          "\(change.view.toolbar.name)", change.view.trigger.map { "\($0.name)" } ?? "–",
          change.changed.names.joined(separator: ", "),
          change.reason.map { ReportPage.html(NumberText.rounded(in: $0.description)) } ?? "",
        ]
      }
      let name = ReportPage.html(track.policy.name)
      text += ReportParts.table(
        "Changes under \(name)", ["Time", numbered, "Toolbar", "Trigger", "Changed", "Reason"], numeric: [1],
        Array(rows))
      if changes.count > listLength {
        text += "<p>\(changes.count - listLength) more changes follow; the picture above shows them.</p>\n"
      }
    }
    return text + "</section>\n"
  }

  /// A link to a moment, which works with the script.
  private func link(_ event: Int, _ text: String) -> String { "<a href=\"#e\(event)\">\(text)</a>" }

  private var comparison: String {
    let rows = tallies.map { tally in
      [
        "<span data-policy=\"\(ReportPage.html(tally.policy.name))\">\(ReportPage.html(tally.policy.name))</span>",
        "<data value=\"\(tally.flips)\" data-tally=\"flips\">\(tally.flips)</data>",
        "<data value=\"\(tally.flickers.count)\" data-tally=\"flickers\">\(tally.flickers.count)</data>",
        tally.flipsPerMinute.map {
          "<data value=\"\(shortest($0))\" data-tally=\"flipsPerMinute\">\(NumberText.fixed($0, places: 1))</data>"
        } ?? "–",
        "<data value=\"\(tally.hidden)\" data-tally=\"hidden\">\(NumberText.seconds(tally.hidden))</data>",
        "<data value=\"\(tally.duration)\" data-tally=\"duration\">\(NumberText.seconds(tally.duration))</data>",
      ]
    }
    let headings = ["Policy", "Flips", "Flickers", "Flips per minute of scrolling", "Hidden", "Duration"]
    return "<section class=\"card\" aria-labelledby=\"policies-heading\"><h2 id=\"policies-heading\">Policies</h2>\n"
      + ReportParts.table("What each policy did", headings, numeric: [1, 2, 3, 4, 5], rows, id: "policies")
      + "</section>\n"
  }

  private var measures: String {
    let rows = Reading.Measure.allCases.map { measure in
      [measure.name, ReportParts.data(reading, measure), measure.meaning]
    }
    // The other sections count the time that passed.
    let clock =
      reading.backwardSteps == 0
      ? ""
      : "<p>The client’s clock ran backwards: here, times are differences of its readings, and the other sections leave out "
        + "what it was set back.</p>\n"
    let owner = tracks.count > 1 ? "<p>The toolbar’s measures are those under \(firstPolicy).</p>\n" : ""
    return "<section class=\"card\" aria-labelledby=\"measures-heading\"><h2 id=\"measures-heading\">Measures</h2>\n"
      + clock + owner
      + ReportParts.table(
        "Measures of the session", ["Measure", "Value", "Meaning"], numeric: [1], rows, id: "measures")
      + "</section>\n"
  }
}
