// scrollctl statistics, reload, sync and rotate: for whoever runs the daemon.

import ScrollClient

extension Verb {
  private static let format = Option(
    name: "format", value: "text|openmetrics", summary: "How to print them: for people, or for Prometheus and its kin")

  static let statistics = Verb(
    name: "statistics", group: .manage, options: [format],
    summary: "Show what the daemon has done since it started, and how it stands",
    details: [
      "With --format openmetrics they are OpenMetrics, which node_exporter's textfile collector takes, too: counters from the "
        + "daemon's start on, and gauges."
    ],
    examples: [
      Example(arguments: "--json statistics", meaning: "The same for programs."),
      Example(
        arguments: "statistics --format openmetrics",
        meaning: "For Prometheus: to be written to a file that its node_exporter reads."),
    ]
  ) { invocation in
    let isOpenMetrics = try wantsOpenMetrics(invocation)
    let statistics = try invocation.connect().statistics()
    if isOpenMetrics {
      try invocation.output.lines(OpenMetricsText(statistics: statistics).lines)
      return .done
    }
    if invocation.wantsJSON {
      try invocation.output.line(statistics.json)
      return .done
    }
    let rows = statisticsRows(statistics)
    let width = rows.map { columnWidth($0.0) }.max() ?? 0
    for (name, value) in rows {
      try invocation.output.line(String(repeating: " ", count: width - columnWidth(name)) + "\(name): \(value)")
    }
    return .done
  }

  private static func wantsOpenMetrics(_ invocation: Invocation) throws(UsageError) -> Bool {
    guard let text = invocation.command.text(format) else { return false }
    if invocation.wantsJSON { throw .conflict(Option.json.name, format.name) }
    switch text {
    case "text": return false
    case "openmetrics": return true
    default: throw .badValue(option: format.name, text: text, expected: "text or openmetrics")
    }
  }

  /// What the daemon's statistics say, for people: names and values.
  static func statisticsRows(_ statistics: DaemonStatistics) -> [(name: String, value: String)] {
    var rows: [(name: String, value: String)] = [
      ("version", visible(statistics.version)), ("generation", "\(statistics.generation)"),
      ("positions", "\(statistics.firstPosition) to \(statistics.lastPosition), \(statistics.syncedPosition) synced"),
      ("open sessions", "\(statistics.sessions)"), ("connections", "\(statistics.connections)"),
      ("subscribers", "\(statistics.subscribers)"),
    ]
    if let packed = bytesARecord(statistics, "packed") { rows.append(("bytes a record, packed", packed)) }
    if let unpacked = bytesARecord(statistics, "unpacked") { rows.append(("bytes a record, unpacked", unpacked)) }
    return rows + statistics.metrics.map { (visible($0.name), "\($0.value)") }
  }

  /// What a record takes on disk in the sealed segments, packed ones or others, with one place behind the point; `nil`
  /// where there are none.
  private static func bytesARecord(_ statistics: DaemonStatistics, _ kind: String) -> String? {
    func metric(_ name: String) -> Int64? { statistics.metrics.first { $0.name == "\(kind)_\(name)" }?.value }
    guard let records = metric("records"), records > 0, let bytes = metric("bytes"), bytes >= 0 else { return nil }
    return "\((10 * Double(bytes) / Double(records)).rounded() / 10)"
  }

  static let reload = Verb(
    name: "reload", group: .manage,
    summary: "Have the daemon read its configuration again",
    details: [
      "A configuration with a mistake is refused and the old one stays: then file, line and key of the mistake are "
        + "printed, and the exit status is 1. Sessions keep the policy with which they were opened."
    ]
  ) { invocation in
    try invocation.connect().reload()
    return .done
  }

  static let sync = Verb(
    name: "sync", group: .manage,
    summary: "Have the daemon sync its log to disk",
    details: [
      "When it is done everything is on disk that had been answered before. With --json the position is printed."
    ]
  ) { invocation in
    let position = try invocation.connect().sync()
    if invocation.wantsJSON { try invocation.output.object { $0.member("position", position) } }
    return .done
  }

  static let rotate = Verb(
    name: "rotate", group: .manage,
    summary: "Have the daemon begin a new segment of its log"
  ) { invocation in
    try invocation.connect().rotate()
    return .done
  }
}
