import ScrollAnalysis
import ScrollModel

/// Measures as tables for people.
struct ReadingText {
  /// Up to this many sessions have a line each.
  static let sessionLines = 40
  /// The measures of a session's line.
  private static let columns: [(measure: Reading.Measure, heading: String, dropOrder: Int?)] = [
    (.duration, "duration", nil), (.activeTime, "active", nil), (.reach, "reach", nil),
    (.bottomReached, "bottom after", 4), (.distance, "distance", 2), (.regressions, "back", 1), (.flips, "flips", 3),
    (.depth, "depth", nil),
  ]
  /// Returns the heading of a measure's column in the table of sessions; `nil` for a measure that has none.
  static func heading(of measure: Reading.Measure) -> String? { columns.first { $0.measure == measure }?.heading }

  /// The statistics of a measure, and which are left out first in a narrow terminal.
  private static let statistics: [(heading: String, dropOrder: Int?)] = [
    ("sessions", nil), ("least", 4), ("quarter", 2), ("median", nil), ("three quarters", 1), ("most", nil), ("mean", 3),
  ]
  /// The tenths of the content that are left out first in a narrow terminal.
  private static let droppedTenths = [1, 3, 7, 9, 5]
  /// The longest name, in columns.
  private static let nameWidth = 40

  var style: Style

  /// Returns a line for each session, below headings.
  func sessions(_ sessions: [MeasuredSessions.Measured]) -> [String] {
    var table = TextTable(
      [.init(heading: "session", leastWidth: 20)]
        + Self.columns.map {
          .init(heading: $0.heading, isRightAligned: $0.measure != .depth, dropOrder: $0.dropOrder)
        })
    for session in sessions {
      let name = fitted(visible(Self.name(session.head, among: sessions)), columns: Self.nameWidth)
      table.add([name] + Self.columns.map { session.reading.text(of: $0.measure) })
    }
    let disordered = sessions.count { $0.reading.backwardSteps > 0 }
    let note = disordered == 0 ? [] : wrapped(Self.clockNote(disordered), columns: style.columns ?? .max)
    return lines(of: table) + note.map(style.dim)
  }

  /// Says by which clock the times are of sessions whose clock ran backwards.
  private static func clockNote(_ sessions: Int) -> String {
    let clocks = sessions == 1 ? "The clock of 1 session" : "The clocks of \(sessions) sessions"
    return
      "\(clocks) ran backwards: duration and bottom after are differences of its times, so that active can be longer. "
      + "“compare”, “sessions” and “timeline” count the time that passed."
  }

  /// Returns the statistics of a group.
  func group(_ group: ReadingGroup) -> [String] {
    let population = group.population
    let name = group.key.map { "\($0.rawValue) \(group.name.map { "“\(visible($0))”" } ?? "unknown")" } ?? "all"
    let count = population.sessions == 1 ? "1 session" : "\(population.sessions) sessions"
    var lines = [style.bold("\(name): \(count)")]
    var table = TextTable(
      [.init(heading: "measure")]
        + Self.statistics.map { .init(heading: $0.heading, isRightAligned: true, dropOrder: $0.dropOrder) })
    for measure in Reading.Measure.numbers {
      guard let distribution = population.distributions[measure] else { continue }
      let numbers = [
        distribution.minimum, distribution.lowerQuartile, distribution.median, distribution.upperQuartile,
        distribution.maximum, distribution.mean,
      ]
      table.add([measure.name, "\(distribution.count)"] + numbers.map { measure.text($0) })
    }
    lines += self.lines(of: table)
    let depths = Reading.Depth.allCases.compactMap { depth in population.depths[depth].map { "\($0) \(depth.name)" } }
    if !depths.isEmpty { lines.append("depth: " + depths.joined(separator: ", ")) }
    if !population.reachCurve.isEmpty { lines += [""] + reachCurve(population) }
    return lines
  }

  /// The share of the sessions that reached each tenth of the content.
  private func reachCurve(_ population: ReadingPopulation) -> [String] {
    let curve = population.reachCurve
    var table = TextTable(
      [.init(heading: "seen to")]
        + (1...10).map {
          let order = Self.droppedTenths.firstIndex(of: $0)
          return .init(heading: "\($0 * 10) %", isRightAligned: true, dropOrder: order)
        })
    let shares = (1...10).map { tenth in
      Reading.Measure.reach.text(curve[max(0, (tenth * curve.count + 9) / 10 - 1)])
    }
    table.add(["sessions"] + shares)
    return lines(of: table)
  }

  /// A table's lines, and which of its columns the terminal has no room for.
  private func lines(of table: TextTable) -> [String] {
    let layout = table.layout(style)
    let lines = Array(layout.lines)
    guard let note = layout.note else { return lines }
    return lines + wrapped(note, columns: style.columns ?? .max).map(style.dim)
  }

  /// A session's name: with its client in a file of several clients, with its line in a file of several sessions of a client,
  /// or with its id among several of a client in the log.
  static func name(_ head: SessionHead, among sessions: [MeasuredSessions.Measured]) -> String {
    guard let path = head.path else {
      let isShared = sessions.count(where: { $0.head.path == nil && $0.head.name == head.name }) > 1
      return isShared ? head.id?.suffixed(to: head.name) ?? head.name : head.name
    }
    let others = sessions.map(\.head).filter { $0.path == path }
    guard let client = head.client, others.contains(where: { $0.client != client }) else {
      guard let line = head.line, line > 1 else { return head.name }
      return "\(head.name):\(line)"
    }
    let isOnly = others.count { $0.client == client } == 1
    return "\(head.name):\(client)" + (isOnly ? "" : head.line.map { ":\($0)" } ?? "")
  }
}
