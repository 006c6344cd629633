import Platform
import ScrollClient

extension Verb {
  private static let format = Option(
    name: "format", value: "text|openmetrics", summary: "The format: text, or OpenMetrics for Prometheus [text]")

  static let statistics = Verb(
    name: "statistics", group: .manage, options: [format],
    summary: "Show what the daemon has done since it started, and its current state",
    details: [
      "With --format openmetrics, the output is OpenMetrics, which node_exporter's textfile collector also reads: counters "
        + "since the daemon started, and gauges. The time of the start is scrolld_process_start_time_seconds."
    ],
    examples: [
      Example(arguments: "--json statistics", meaning: "Print the statistics as a JSON object."),
      Example(
        arguments: "statistics --format openmetrics",
        meaning: "Print metrics for Prometheus, to be written to a file that its node_exporter reads."),
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
    let width = rows.map { $0.0.columnWidth }.max() ?? 0
    for (name, value) in rows {
      try invocation.output.line(String(repeating: " ", count: width - name.columnWidth) + "\(name): \(value)")
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

  /// Returns the names and values of the daemon's statistics.
  static func statisticsRows(_ statistics: DaemonStatistics) -> [(name: String, value: String)] {
    var rows: [(name: String, value: String)] = [
      ("version", visible(statistics.version)), ("generation", "\(statistics.generation)"),
      ("positions", positions(statistics)),
      ("open sessions", "\(statistics.sessions)"), ("connections", "\(statistics.connections)"),
      ("subscribers", "\(statistics.subscribers)"),
    ]
    // An older daemon does not say.
    if let started = statistics.started?.rawValue {
      let ago = TimeText.ago(started, now: UnixMicroseconds.now.rawValue)
      rows.insert(("started", "\(TimeText().date(started)); \(ago)"), at: 1)
    }
    if let packed = bytesARecord(statistics, "packed") { rows.append(("bytes a record, packed", packed)) }
    if let unpacked = bytesARecord(statistics, "unpacked") { rows.append(("bytes a record, unpacked", unpacked)) }
    return rows + statistics.metrics.map { (visible($0.name), "\($0.value)") }
  }

  private static func positions(_ statistics: DaemonStatistics) -> String {
    // The daemon's log is empty when it is new, or when everything was removed.
    if statistics.firstPosition > statistics.lastPosition { return "none; the next is \(statistics.lastPosition + 1)" }
    return "\(statistics.firstPosition) to \(statistics.lastPosition), \(statistics.syncedPosition) synced"
  }

  /// Returns the average size of a record in sealed segments, either packed or unpacked ones, with one decimal; `nil` without
  /// such segments.
  private static func bytesARecord(_ statistics: DaemonStatistics, _ kind: String) -> String? {
    func metric(_ name: String) -> Int64? { statistics.metrics.first { $0.name == "\(kind)_\(name)" }?.value }
    guard let records = metric("records"), records > 0, let bytes = metric("bytes"), bytes >= 0 else { return nil }
    return "\((10 * Double(bytes) / Double(records)).rounded() / 10)"
  }

  static let reload = Verb(
    name: "reload", group: .manage,
    summary: "Reload the daemon's configuration",
    details: [
      "If the new configuration has an error, the daemon keeps the old one; scrollctl prints the file, line and key of the "
        + "first error, the number of others and the command that lists them, and exits with status 1. It also prints "
        + "warnings about a configuration that is in force, such as users that do not exist. Open sessions keep their policies."
    ]
  ) { invocation in
    for warning in try invocation.connect().reload() { Program.warn("warning: \(warning)") }
    return .done
  }

  static let sync = Verb(
    name: "sync", group: .manage,
    summary: "Sync the daemon's log to disk",
    details: [
      "When it returns, everything that the daemon had acknowledged before is on disk. With --json, it prints the last "
        + "position on disk."
    ]
  ) { invocation in
    let position = try invocation.connect().sync()
    if invocation.wantsJSON { try invocation.output.object { $0.member("position", position) } }
    return .done
  }

  static let rotate = Verb(
    name: "rotate", group: .manage,
    summary: "Start a new segment of the daemon's log"
  ) { invocation in
    try invocation.connect().rotate()
    return .done
  }
}
