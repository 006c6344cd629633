import JSON
import Platform

/// Measures everything that the documentation's table of speed has, side by side with what it is compared with.
struct TableBenchmark {
  /// The groups of figures, in the table's order.
  enum Group: String, CaseIterable {
    case answered, pushed, batches, oneway, reading, starting, sessions, size
  }

  private let groups: [Group]
  private let settings: TableSettings
  private let recordings: String
  private let latencyRuns: Int
  private let latencyEvents: Int
  private let events: Int
  private let divisor: Int
  private let writesJSON: Bool
  /// By which factor a goal may be missed before the program fails; `nil` for any.
  private let tolerance: Int?

  init(_ arguments: Arguments) throws {
    var arguments = arguments
    writesJSON = arguments.flag("--json")
    let isQuick = arguments.flag("--quick")
    tolerance = try arguments.optionalNumber("--fail-beyond", in: 1...1000)
    var groups = Group.allCases
    if let names = arguments.text("--only") {
      groups = try names.split(separator: ",").map { name in
        guard let group = Group(rawValue: String(name)) else {
          throw Arguments.Problem(
            "--only has “\(name)”: choose from \(Group.allCases.map(\.rawValue).joined(separator: ","))")
        }
        return group
      }
    }
    self.groups = groups
    let runs = try arguments.number("--runs", default: isQuick ? 3 : 5, in: 1...1000)
    latencyRuns = isQuick ? 5 : max(11, runs)
    latencyEvents = isQuick ? 200 : 500
    events = isQuick ? 200_000 : 1_000_000
    divisor = isQuick ? 10 : 1
    recordings = arguments.text("--recordings") ?? "Tests/Fixtures/recordings"
    let directory = arguments.text("--state-directory") ?? "/var/tmp"
    try arguments.finish()
    settings = TableSettings(
      directory: directory, load: try Load(recordings: recordings), runs: runs, redis: BenchmarkRedis.program,
      processors: try CurrentProcess.processors())
  }

  /// Measures and prints.
  ///
  /// - Returns: Whether no goal was missed by more than the tolerated factor.
  func run() throws -> Bool {
    if settings.redis == nil {
      StandardError.write(
        "scrollbench: redis-server is not installed, so nothing is compared with it; install it by: "
          + "apt-get install redis-server\n")
    }
    if settings.processors.count < 2 {
      StandardError.write("scrollbench: there is one processor only: the figures for two cores are those of one\n")
    }
    var rows: [TableRow] = []
    for group in groups {
      StandardError.write("scrollbench: measuring \(group.rawValue)\n")
      let measured = try measure(group)
      // A program that reads objects need not wait for the last one.
      if writesJSON { printJSON(measured) }
      rows += measured
    }
    if !writesJSON { printTable(rows) }
    guard let tolerance else { return true }
    return rows.allSatisfy { $0.isMet(within: Double(tolerance)) != false }
  }

  private func measure(_ group: Group) throws -> [TableRow] {
    var repeated = settings
    repeated.runs = latencyRuns
    let latency = LatencyFigures(settings: repeated, events: latencyEvents)
    let throughput = ThroughputFigures(settings: settings, events: events)
    let log = LogFigures(settings: settings, divisor: divisor)
    switch group {
    case .answered:
      return try ["commit", "interval", "never"].flatMap { sync in
        try TableSettings.Placement.allCases.flatMap { try latency.answered(sync, $0) }
      }
    case .pushed:
      return try ["interval", "commit"].flatMap { sync in
        try TableSettings.Placement.allCases.flatMap { try latency.pushed(sync, $0) }
      }
    case .batches:
      return try throughput.batches(connections: 4, goal: 3) + throughput.batches(connections: 50, goal: 4)
    case .oneway: return try throughput.oneway()
    case .reading: return try log.reading()
    case .starting: return try log.starting()
    case .sessions: return try log.sessions()
    case .size: return try SizeBenchmark(recordings: recordings, in: settings.directory).rows()
    }
  }

  private func printTable(_ rows: [TableRow]) {
    let cells = [TableRow.heading] + rows.map(\.cells)
    let widths = TableRow.heading.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    for row in cells {
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      print(line)
    }
  }

  private func printJSON(_ rows: [TableRow]) {
    for row in rows { print(String(decoding: JSONWriter.encode { row.write(to: &$0) }, as: UTF8.self)) }
  }
}
