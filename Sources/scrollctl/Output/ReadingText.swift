import ScrollAnalysis
import ScrollModel

/// Measures as tables for people.
struct ReadingText {
  /// Up to this many sessions have a line each.
  static let sessionLines = 40
  /// The measures of a session's line.
  private static let columns: [(measure: Reading.Measure, heading: String)] = [
    (.duration, "duration"), (.activeTime, "active"), (.reach, "reach"), (.bottomReached, "bottom after"),
    (.distance, "distance"), (.regressions, "back"), (.flips, "flips"), (.depth, "depth"),
  ]
  /// The longest name, in columns.
  private static let nameWidth = 40

  var style: Style

  /// Returns a line for each session, below headings.
  func sessions(_ sessions: [MeasuredSessions.Measured]) -> [String] {
    var table = TextTable(
      [.init(heading: "session", leastWidth: 8)]
        + Self.columns.map { .init(heading: $0.heading, isRightAligned: $0.measure != .depth) })
    for session in sessions {
      let name = fitted(visible(Self.name(session.head, among: sessions)), columns: Self.nameWidth)
      table.add([name] + Self.columns.map { session.reading.text(of: $0.measure) })
    }
    return table.lines(style)
  }

  /// Returns the statistics of a group.
  func group(_ group: ReadingGroup) -> [String] {
    let population = group.population
    let name = group.key.map { "\($0.rawValue) \(group.name.map { "“\(visible($0))”" } ?? "unknown")" } ?? "all"
    let count = population.sessions == 1 ? "1 session" : "\(population.sessions) sessions"
    var lines = [style.bold("\(name): \(count)")]
    var table = TextTable(
      [.init(heading: "measure")]
        + ["sessions", "least", "quarter", "median", "three quarters", "most", "mean"].map {
          .init(heading: $0, isRightAligned: true)
        })
    for measure in Reading.Measure.numbers {
      guard let distribution = population.distributions[measure] else { continue }
      let numbers = [
        distribution.minimum, distribution.lowerQuartile, distribution.median, distribution.upperQuartile,
        distribution.maximum, distribution.mean,
      ]
      table.add([measure.name, "\(distribution.count)"] + numbers.map { measure.text($0) })
    }
    lines += table.lines(style)
    let depths = Reading.Depth.allCases.compactMap { depth in population.depths[depth].map { "\($0) \(depth.name)" } }
    if !depths.isEmpty { lines.append("depth: " + depths.joined(separator: ", ")) }
    if !population.reachCurve.isEmpty { lines += [""] + reachCurve(population) }
    return lines
  }

  /// The share of the sessions that reached each tenth of the content.
  private func reachCurve(_ population: ReadingPopulation) -> [String] {
    let curve = population.reachCurve
    let tenths = (1...10).map { "\($0 * 10) %" }
    var table = TextTable(
      [.init(heading: "seen to")] + tenths.map { .init(heading: $0, isRightAligned: true) })
    let shares = (1...10).map { tenth in
      Reading.Measure.reach.text(curve[max(0, (tenth * curve.count + 9) / 10 - 1)])
    }
    table.add(["sessions"] + shares)
    return table.lines(style)
  }

  /// A session's name, with its line in a file of several sessions, or with its id among several of a client.
  private static func name(_ head: SessionHead, among sessions: [MeasuredSessions.Measured]) -> String {
    if head.path == nil, let id = head.id,
      sessions.count(where: { $0.head.path == nil && $0.head.name == head.name }) > 1
    {
      return id.suffixed(to: head.name)
    }
    guard let line = head.line, line > 1 else { return head.name }
    return "\(head.name):\(line)"
  }
}
