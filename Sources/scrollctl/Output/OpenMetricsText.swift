import ScrollAnalysis
import ScrollClient

/// Statistics in OpenMetrics 1.0, the text format that Prometheus reads.
///
/// The textfile collector of node_exporter also reads it, but knows fewer types. The version is therefore a gauge that is
/// always 1 instead of an info, and a metric of unknown kind has no type.
struct OpenMetricsText {
  var statistics: DaemonStatistics

  /// The lines, up to the end marker.
  var lines: [String] {
    var lines = family("scrolld_build_info", .gauge, "The running version.")
    lines.append("scrolld_build_info{version=\"\(Self.escaped(statistics.version))\"} 1")
    // Not process_start_time_seconds: with the textfile collector, node_exporter would have two of that name, and serve none.
    if let started = statistics.started?.rawValue {
      let name = "scrolld_process_start_time_seconds"
      lines += family(name, .gauge, "When the daemon started, in seconds since the Unix epoch.")
      lines.append("\(name) \(Self.seconds(started))")
    }
    for (name, value, help) in fixedMetrics {
      lines += family("scrolld_\(name)", .gauge, help) + ["scrolld_\(name) \(value)"]
    }
    for metric in statistics.metrics {
      let name = "scrolld_\(Self.unitLast(metric.name))"
      lines += family(name, metric.kind, Self.help(metric))
      lines.append("\(name)\(metric.kind == .counter ? "_total" : "") \(metric.value)")
    }
    return lines + ["# EOF"]
  }

  /// The statistics that are not in the list of metrics.
  private var fixedMetrics: [(name: String, value: Int64, help: String)] {
    [
      (
        "generation", statistics.generation,
        "The generation of the log, which changes when a crash takes positions back."
      ),
      ("first_position", statistics.firstPosition, "The first position in the log."),
      ("last_position", statistics.lastPosition, "The last position in the log."),
      ("synced_position", statistics.syncedPosition, "The last position on disk."),
      ("sessions", statistics.sessions, "Open sessions."),
      ("connections", statistics.connections, "Connections."),
      ("subscribers", statistics.subscribers, "Subscriptions."),
    ]
  }

  /// Returns microseconds as seconds, without rounding.
  private static func seconds(_ microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return "\(whole).\(String(1_000_000 + rest.magnitude).dropFirst())"
  }

  private func family(_ name: String, _ kind: DaemonStatistics.Metric.Kind?, _ help: String) -> [String] {
    var lines: [String] = []
    if let kind { lines.append("# TYPE \(name) \(kind.rawValue)") }
    if let unit = ["bytes", "seconds"].first(where: { name.hasSuffix("_\($0)") }) {
      lines.append("# UNIT \(name) \(unit)")
    }
    return lines + ["# HELP \(name) \(Self.escaped(help))"]
  }

  /// Returns a name with its unit at the end, `received_bytes` for `bytes_received`, and `_` for invalid characters.
  static func unitLast(_ name: String) -> String {
    let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    var words = String(plain).split(separator: "_")
    if let unit = words.firstIndex(of: "bytes") { words.append(words.remove(at: unit)) }
    return words.joined(separator: "_")
  }

  /// Returns the metric's name as a sentence.
  private static func help(_ metric: DaemonStatistics.Metric) -> String {
    let words = metric.name.split(separator: "_").joined(separator: " ")
    let sentence = words.prefix(1).uppercased() + words.dropFirst()
    return sentence + (metric.kind == .counter ? " since the daemon started." : ".")
  }

  private static func escaped(_ text: String) -> String {
    PlainText.clean(text).map { character in
      switch character {
      case "\\": "\\\\"
      case "\"": "\\\""
      default: String(character)
      }
    }.joined()
  }
}
