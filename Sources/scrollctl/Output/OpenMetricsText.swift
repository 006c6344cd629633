// Statistics as OpenMetrics, the text that Prometheus and its kin read.

import ScrollClient

/// Statistics as OpenMetrics 1.0, the text that Prometheus and its kin read.
///
/// The textfile collector of node_exporter takes it, too, which knows fewer types: so the version is a gauge that is always 1
/// rather than an info, and a metric of unknown kind has no type.
struct OpenMetricsText {
  var statistics: DaemonStatistics

  /// The lines, the last of which says that there are no more.
  var lines: [String] {
    var lines = family("scrolld_build_info", .gauge, "The version that runs.")
    lines.append("scrolld_build_info{version=\"\(Self.escaped(statistics.version))\"} 1")
    for (name, value, help) in standing {
      lines += family("scrolld_\(name)", .gauge, help) + ["scrolld_\(name) \(value)"]
    }
    for metric in statistics.metrics {
      let name = "scrolld_\(Self.unitLast(metric.name))"
      lines += family(name, metric.kind, Self.help(metric))
      lines.append("\(name)\(metric.kind == .counter ? "_total" : "") \(metric.value)")
    }
    return lines + ["# EOF"]
  }

  /// What the daemon tells besides its counters.
  private var standing: [(name: String, value: Int64, help: String)] {
    [
      ("generation", statistics.generation, "The generation of the log: another one when a crash took something back."),
      ("first_position", statistics.firstPosition, "The first position that the log still has."),
      ("last_position", statistics.lastPosition, "The last position of the log."),
      ("synced_position", statistics.syncedPosition, "The last position that is on disk."),
      ("sessions", statistics.sessions, "Open sessions."),
      ("connections", statistics.connections, "Connections."),
      ("subscribers", statistics.subscribers, "Subscriptions."),
    ]
  }

  private func family(_ name: String, _ kind: DaemonStatistics.Metric.Kind?, _ help: String) -> [String] {
    var lines: [String] = []
    if let kind { lines.append("# TYPE \(name) \(kind.rawValue)") }
    if name.hasSuffix("_bytes") { lines.append("# UNIT \(name) bytes") }
    return lines + ["# HELP \(name) \(Self.escaped(help))"]
  }

  /// A name whose unit, if it has one, stands last: `received_bytes` for `bytes_received`. What no name may have becomes `_`.
  static func unitLast(_ name: String) -> String {
    let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    var words = String(plain).split(separator: "_")
    if let unit = words.firstIndex(of: "bytes") { words.append(words.remove(at: unit)) }
    return words.joined(separator: "_")
  }

  /// The name in words: a metric's name says what it is.
  private static func help(_ metric: DaemonStatistics.Metric) -> String {
    let words = metric.name.split(separator: "_").joined(separator: " ")
    let sentence = words.prefix(1).uppercased() + words.dropFirst()
    return sentence + (metric.kind == .counter ? " since the daemon started." : ".")
  }

  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\"": "\\\""
      default: String(character)
      }
    }.joined()
  }
}
