import ScrollModel

/// A page about many sessions: how far they got, where the time went, and a table with a picture of each.
public struct PopulationReport {
  /// A session's row.
  public struct Row: Sendable {
    let subject: ReportSubject
    let reading: Reading
    let picture: String

    /// Creates a session's row, which keeps no events.
    public init(_ subject: ReportSubject, _ events: [Event], closed: Int64? = nil, reading: Reading) {
      self.subject = subject
      self.reading = reading
      let curve = ReportCurve(events, closed: closed, columns: 64)
      picture = "<path class=\"area\" d=\"\(curve.area)\"/><path class=\"line\" d=\"\(curve.line)\"/>"
    }
  }

  private let rows: [Row]
  private let population: ReadingPopulation
  private let bands: Int
  private let policy: String?

  /// Sums up sessions.
  ///
  /// - Parameter policy: The policy that all of them were measured under; `nil` if each was under its own.
  public init(_ rows: [Row], bands: Int = ReadingMeter.standardBands, policy: String? = nil) {
    self.rows = rows
    self.policy = policy
    self.bands = bands
    population = ReadingPopulation(rows.map(\.reading), bands: bands)
  }

  /// The page.
  public var html: String {
    var data = ScriptData()
    data.object { $0.member("kind") { $0.string("population") } }
    let body = header + reach + attention + times + statistics + sessions
    return ReportPage.page(title: "\(rows.count) sessions – scroll report", body: body, data: data.text)
  }

  private var header: String {
    let titles = Set(rows.compactMap(\.subject.title))
    let clients = Set(rows.compactMap(\.subject.client))
    let times = rows.compactMap(\.subject.opened)
    var facts: [String] = []
    if !clients.isEmpty { facts.append("\(clients.count) \(clients.count == 1 ? "client" : "clients")") }
    if !titles.isEmpty { facts.append("\(titles.count) \(titles.count == 1 ? "title" : "titles")") }
    if let first = times.min(), let last = times.max() {
      facts.append("\(ReportPage.date(first)) to \(ReportPage.date(last))")
    }
    if let policy { facts.append("toolbar under the policy \(ReportPage.html(policy))") }
    return """
      <header><h1>How far \(rows.count) sessions were read</h1>
      <p class="facts">\(facts.joined(separator: " · "))</p></header>
      \(ReportParts.tiles([
        ("Sessions", "\(rows.count)"), ("Median reach", statistic(.reach, \.median)),
        ("Reached the bottom", endShare), ("Median active time", statistic(.activeTime, \.median)),
        ("Median turns back", statistic(.regressions, \.median)),
      ]))
      """
  }

  private func statistic(_ measure: Reading.Measure, _ value: KeyPath<Distribution, Double>) -> String {
    guard let distribution = population.distributions[measure] else { return "–" }
    let number = distribution[keyPath: value]
    return "<data value=\"\(shortest(number))\">\(measure.text(number))</data>"
  }

  /// The share of sessions that reached the bottom.
  private var endShare: String {
    let share = Double(population.distributions[.bottomReached]?.count ?? 0) / Double(rows.count)
    return "<data value=\"\(shortest(share))\">\(Reading.Measure.reach.text(share))</data>"
  }

  // MARK: Pictures

  private var reach: String {
    var text = section("reach", "Who got how far")
    guard let distribution = population.distributions[.reach], !population.reachCurve.isEmpty else {
      return text + "<p>No session tells the size of its content.</p></section>\n"
    }
    let count = population.sessionsWithReach
    text += """
      <p>The share of \(count == 1 ? "the one session that knows its content’s size" : "\(count) sessions") that saw each part \
      of the content. Half of them got to \(Reading.Measure.reach.text(distribution.median)), a quarter no further than \
      \(Reading.Measure.reach.text(distribution.lowerQuartile)), a quarter at least to \
      \(Reading.Measure.reach.text(distribution.upperQuartile)).</p>

      """
    var path = "M0 300"
    let width = 1000 / Double(population.reachCurve.count)
    for (index, share) in population.reachCurve.enumerated() {
      path +=
        "\(index == 0 ? "V" : "H\(SVGWriter.number(Double(index) * width))V")\(SVGWriter.number(300 - share * 300))"
    }
    path += "H1000"
    var quartiles = ""
    for value in [distribution.lowerQuartile, distribution.median, distribution.upperQuartile] {
      quartiles += "M\(SVGWriter.number(value * 1000)) 0V300"
    }
    let drawing =
      "<path class=\"area\" d=\"\(path)V300Z\"/><path class=\"line\" d=\"\(path)\"/><path class=\"end\" d=\"\(quartiles)\"/>"
    text += chart(
      drawing, "Share of sessions by part of the content", labels: ["100 %", "75 %", "50 %", "25 %", "0 %"])
    let rows = tenths.map { tenth in
      let share = population.reachCurve[tenth - 1]
      return [
        Reading.Measure.reach.text(Double(tenth) / Double(bands)),
        "<data value=\"\(shortest(share))\">\(Reading.Measure.reach.text(share))</data>",
      ]
    }
    text += details(
      "Reach as a table", "Share of sessions that saw the content to a part", ["Seen to", "Sessions"], rows)
    return text + "</section>\n"
  }

  /// The last band of each tenth of the content.
  private var tenths: [Int] { Array(Set((1...10).map { max(1, $0 * bands / 10) })).sorted() }

  private var attention: String {
    guard let most = population.bandTimes.max(), most > 0 else { return "" }
    var text = section("attention", "Where the time went")
    text += "<p>The median active time of each part of the content, from its top to its end.</p>\n"
    let width = 1000 / Double(population.bandTimes.count)
    var path = ""
    for (index, time) in population.bandTimes.enumerated() where time > 0 {
      path +=
        "M\(SVGWriter.number(Double(index) * width)) 300V\(SVGWriter.number(300 - time / most * 300))h\(SVGWriter.number(width))V300Z"
    }
    let labels = (0...4).map { Reading.Measure.activeTime.text(most * Double(4 - $0) / 4) }
    text += chart("<path class=\"bars\" d=\"\(path)\"/>", "Median active time by part of the content", labels: labels)
    let rows = tenths.map { tenth in
      let time = population.bandTimes[tenth - 1]
      return [
        Reading.Measure.reach.text(Double(tenth) / Double(bands)),
        "<data value=\"\(shortest(time))\">\(Reading.Measure.activeTime.text(time))</data>",
      ]
    }
    text += details(
      "Active time as a table", "Median active time at a part of the content", ["Part", "Active time"], rows)
    return text + "</section>\n"
  }

  private func chart(_ drawing: String, _ label: String, labels: [String]) -> String {
    var text = "<div class=\"chart plain\"><svg class=\"axis-y\" aria-hidden=\"true\">"
    for (index, label) in labels.enumerated() {
      let y = Double(index) / Double(labels.count - 1) * 100
      let shift = index == 0 ? 10 : index + 1 == labels.count ? -2 : 4
      text += "<text x=\"100%\" y=\"\(NumberText.rounded(y))%\" dx=\"-6\" dy=\"\(shift)\">\(label)</text>"
    }
    text += """
      </svg><div class="plot"><svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(label)">\
      <path class="grid" d="M0 0H1000M0 75H1000M0 150H1000M0 225H1000M0 300H1000M250 0V300M500 0V300M750 0V300"/>\
      \(drawing)</svg></div><span class="corner"></span><svg class="axis-x" aria-hidden="true">
      """
    for (x, anchor) in [(0, "start"), (25, "middle"), (50, "middle"), (75, "middle"), (100, "end")] {
      text += "<text x=\"\(x)%\" y=\"14\" text-anchor=\"\(anchor)\">\(x) %</text>"
    }
    return text + "</svg></div>\n"
  }

  // MARK: Histograms

  private var times: String {
    var text = section("times", "To the bottom, and back")
    text += "<div class=\"pair\">"
    text += histogram(
      "Time to the bottom", rows.compactMap { $0.reading.bottomReached.map(Double.init) }, .bottomReached,
      none: "No session got to the bottom.")
    text += histogram("Turns back", rows.map { Double($0.reading.regressions) }, .regressions, none: "")
    text += "<div><h3>Depth</h3>"
    let depths = Reading.Depth.allCases.map { ("\($0.name)", population.depths[$0] ?? 0) }
    text += bars(depths, "Sessions by depth")
    return text + "</div></div></section>\n"
  }

  private func histogram(_ heading: String, _ values: [Double], _ measure: Reading.Measure, none: String) -> String {
    var text = "<div><h3>\(heading)</h3>"
    if values.isEmpty { return text + "<p>\(none)</p></div>" }
    // Bins are at round numbers, and most sessions are short.
    let scale = measure.unit == .microseconds ? 1_000_000.0 : 1
    let limits: [Double] = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    var bins = limits.enumerated().map { index, low -> (String, Int) in
      let high = index + 1 < limits.count ? limits[index + 1] : Double.infinity
      let count = values.filter { $0 / scale >= low && $0 / scale < high }.count
      let name = measure.unit == .microseconds ? { NumberText.rounded($0) + " s" } : { NumberText.rounded($0) }
      let isSingle = measure.unit == .count && high == low + 1
      return (isSingle ? name(low) : high.isFinite ? "\(name(low)) to \(name(high))" : "\(name(low)) or more", count)
    }
    while bins.last?.1 == 0 { bins.removeLast() }
    while bins.first?.1 == 0 { bins.removeFirst() }
    text += bars(bins, heading)
    return text + "</div>"
  }

  /// A table whose second column is a bar.
  private func bars(_ values: [(name: String, count: Int)], _ caption: String) -> String {
    let most = max(1, values.map(\.count).max() ?? 1)
    var text = "<table class=\"bars\"><caption class=\"hide\">\(caption)</caption><tbody>"
    for (name, count) in values {
      let width = NumberText.rounded(Double(count) / Double(most) * 100, places: 1)
      text +=
        "<tr><th scope=\"row\">\(name)</th><td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      text += "<rect width=\"\(width)\" height=\"10\"/></svg></td><td>\(count)</td></tr>"
    }
    return text + "</tbody></table>"
  }

  private var statistics: String {
    let rows = Reading.Measure.numbers.compactMap { measure -> [String]? in
      guard let distribution = population.distributions[measure] else { return nil }
      let numbers = [
        distribution.minimum, distribution.lowerQuartile, distribution.median, distribution.upperQuartile,
        distribution.maximum, distribution.mean,
      ]
      return ["<span data-statistic=\"\(measure.name)\">\(measure.name)</span>", "\(distribution.count)"]
        + numbers.map { "<data value=\"\(shortest($0))\">\(measure.text($0))</data>" }
    }
    let headings = ["Measure", "Sessions", "Least", "Quarter", "Median", "Three quarters", "Most", "Mean"]
    return section("statistics", "All measures")
      + ReportParts.table("Quartiles of each measure", headings, numeric: Set(1...7), rows, id: "statistics")
      + "</section>\n"
  }

  // MARK: Sessions

  private static let columns: [(measure: Reading.Measure, heading: String)] = [
    (.activeTime, "Active"), (.reach, "Reach"), (.bottomReached, "Bottom after"), (.regressions, "Turns back"),
    (.flips, "Flips"), (.depth, "Depth"),
  ]

  private var sessions: String {
    var text = section("sessions", "Sessions")
    text +=
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Sessions\"><table id=\"list\"><caption class=\"hide\">"
    text += "All sessions, each with a picture of its way through the content</caption><thead><tr>"
    text += (["Session"] + Self.columns.map(\.heading)).map { "<th scope=\"col\">\($0)</th>" }.joined()
    text += "<th scope=\"col\">Way through the content</th></tr></thead><tbody>\n"
    for row in rows {
      text += "<tr><th scope=\"row\"><bdi>\(ReportPage.html(Self.shortened(row.subject.heading)))</bdi></th>"
      for (measure, _) in Self.columns {
        guard let value = row.reading[measure] else {
          text += "<td>–</td>"
          continue
        }
        let raw = ReportParts.raw(value)
        text += "<td data-v=\"\(raw)\">\(row.reading.text(of: measure))</td>"
      }
      text +=
        "<td><svg viewBox=\"0 0 64 300\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\(row.picture)</svg></td></tr>\n"
    }
    return text + "</tbody></table></div></section>\n"
  }

  /// A name's beginning: a table's cell needs no more.
  private static func shortened(_ name: String) -> String {
    name.unicodeScalars.count <= 80 ? name : String(String.UnicodeScalarView(name.unicodeScalars.prefix(79))) + "…"
  }

  private func section(_ id: String, _ heading: String) -> String {
    "<section class=\"card\" aria-labelledby=\"\(id)-heading\"><h2 id=\"\(id)-heading\">\(heading)</h2>\n"
  }

  private func details(_ summary: String, _ caption: String, _ headings: [String], _ rows: [[String]]) -> String {
    "<details><summary>\(summary)</summary>\(ReportParts.table(caption, headings, numeric: [1], rows))</details>\n"
  }
}
