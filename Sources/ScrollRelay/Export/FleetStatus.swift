import JSON
import ScrollModel

/// The machines of a database, and how far each is.
public struct FleetStatus: Equatable, Sendable {
  /// A machine.
  public struct Machine: Equatable, Sendable {
    /// The id.
    public var id: SessionID
    /// The name, for people.
    public var name: String
    /// The generation of the position.
    public var generation: Int64
    /// The last position that is stored.
    public var position: Position
    /// How long ago its relay committed last, in microseconds.
    public var age: Int64
    /// Time from the receiving of the last record to its commit, in microseconds; `nil` before the first record.
    public var lag: Int64?
    /// How many records were stored.
    public var records: Int64
    /// How often its relay has had to begin again.
    public var retries: Int64
    /// How many positions the log no longer had.
    public var missed: Int64
    /// How many sessions were removed because they were forgotten.
    public var forgotten: Int64
  }

  /// The machines, in the order of their names.
  public var machines: [Machine]

  /// Reads the status.
  ///
  /// - Throws: ``DatabaseFailure``.
  public init(_ database: Database) throws(DatabaseFailure) {
    let rows = try database.rows(
      """
      SELECT machine, name, generation, position, (extract(epoch FROM clock_timestamp() - seen) * 1000000)::bigint,
        (extract(epoch FROM lag) * 1000000)::bigint, records, retries,
        (SELECT coalesce(sum(last - first + 1), 0)::bigint FROM scroll.gap AS g WHERE g.machine = m.machine),
        (SELECT count(*) FROM scroll.forgotten AS f WHERE f.machine = m.machine)
      FROM scroll.machine AS m ORDER BY name, machine
      """)
    machines = rows.compactMap { row in
      func number(_ column: Int) -> Int64 { row[column].flatMap { Int64($0) } ?? 0 }
      guard let id = BatchStatements.sessionID(row[0]), let name = row[1] else { return nil }
      return Machine(
        id: id, name: StoredText.unescaped(name), generation: number(2), position: number(3), age: number(4),
        lag: row[5].flatMap { Int64($0) }, records: number(6), retries: number(7), missed: number(8),
        forgotten: number(9))
    }
  }

  /// A table for people.
  public var text: String {
    if machines.isEmpty { return "No machine has stored anything yet.\n" }
    let header = ["MACHINE", "NAME", "POSITION", "RECORDS", "LAST COMMIT", "LAG", "RETRIES", "MISSED", "FORGOTTEN"]
    let rows =
      [header]
      + machines.map { machine in
        [
          "\(machine.id)", Self.shown(machine.name), "\(machine.position)", "\(machine.records)",
          Self.span(machine.age) + " ago",
          machine.lag.map(Self.span) ?? "-", "\(machine.retries)", "\(machine.missed)", "\(machine.forgotten)",
        ]
      }
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }

  /// The name on one line: what would break it, or move the cursor of a terminal, is written as an escape.
  private static func shown(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func span(_ microseconds: Int64) -> String {
    let value = max(0, microseconds)
    switch value {
    case ..<1000: return "\(value) µs"
    case ..<1_000_000: return "\(value / 1000) ms"
    case ..<60_000_000: return "\(value / 1_000_000).\(value / 100_000 % 10) s"
    case ..<7_200_000_000: return "\(value / 60_000_000) min"
    default: return "\(value / 3_600_000_000) h"
    }
  }

  /// One JSON object a machine and line.
  public var json: String {
    machines.map { machine in
      let bytes = JSONWriter.encode { writer in
        writer.beginObject()
        writer.member("machine", "\(machine.id)")
        writer.member("name", machine.name)
        writer.member("generation", machine.generation)
        writer.member("position", machine.position)
        writer.member("records", machine.records)
        writer.member("age", machine.age)
        writer.member("lag", ifPresent: machine.lag)
        writer.member("retries", machine.retries)
        writer.member("missed", machine.missed)
        writer.member("forgotten", machine.forgotten)
        writer.endObject()
      }
      return String(decoding: bytes, as: UTF8.self) + "\n"
    }.joined()
  }

  /// OpenMetrics' text format, for a monitoring system.
  public var openMetrics: String {
    let families: [(name: String, kind: String, help: String, unit: String?, value: (Machine) -> String?)] = [
      ("scroll_relay_position", "gauge", "The last position that is stored.", nil, { "\($0.position)" }),
      ("scroll_relay_records", "counter", "Records that were stored.", nil, { "\($0.records)" }),
      ("scroll_relay_retries", "counter", "How often the relay had to begin again.", nil, { "\($0.retries)" }),
      (
        "scroll_relay_missed", "counter", "Positions that retention removed before they were stored.", nil,
        { "\($0.missed)" }
      ),
      (
        "scroll_relay_forgotten", "counter", "Sessions that were removed because they were forgotten.", nil,
        { "\($0.forgotten)" }
      ),
      (
        "scroll_relay_lag_seconds", "gauge", "Time from the receiving of the last record to its commit.", "seconds",
        { $0.lag.map { seconds(max(0, $0)) } }
      ),
      (
        "scroll_relay_commit_age_seconds", "gauge", "Time since the last commit.", "seconds", { seconds($0.age) }
      ),
    ]
    func seconds(_ microseconds: Int64) -> String { "\(Double(microseconds) / 1_000_000)" }
    var text = ""
    for family in families {
      text += "# TYPE \(family.name) \(family.kind)\n"
      if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
      text += "# HELP \(family.name) \(family.help)\n"
      for machine in machines {
        guard let value = family.value(machine) else { continue }
        let labels = "{machine=\"\(machine.id)\",name=\"\(Self.label(machine.name))\"}"
        text += "\(family.name)\(family.kind == "counter" ? "_total" : "")\(labels) \(value)\n"
      }
    }
    return text + "# EOF\n"
  }

  private static func label(_ text: String) -> String {
    var result = ""
    // Not by characters: a carriage return and a line feed are one.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
