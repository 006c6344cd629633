import ScrollAnalysis
import ScrollModel

/// Measures as comma-separated values.
struct ReadingCSV {
  /// Whether the rows go to a terminal.
  var isForTerminal = false

  /// Returns the heading of the sessions' rows.
  func heading(bands: Int) -> [UInt8] {
    var row = CSVWriter(isForTerminal: isForTerminal)
    for name in ["file", "line", "client", "user", "session", "application", "title", "policy", "events"] {
      row.text(name)
    }
    for measure in Reading.Measure.allCases { row.text(measure.name) }
    for band in 1...bands { row.text("band\(band)") }
    row.endRow()
    return row.buffer
  }

  /// Returns a session's row.
  func row(_ session: MeasuredSessions.Measured, bands: Int) -> [UInt8] {
    let (head, reading) = (session.head, session.reading)
    var row = CSVWriter(isForTerminal: isForTerminal)
    row.text(ifPresent: head.path)
    row.integer(ifPresent: head.line.map(Int64.init))
    row.text(ifPresent: head.client)
    row.integer(ifPresent: head.user.map(Int64.init))
    row.text(ifPresent: head.id?.description)
    row.text(ifPresent: head.application)
    row.text(ifPresent: head.title)
    row.text(head.policy.name)
    row.integer(Int64(reading.events))
    for measure in Reading.Measure.allCases { row.value(reading[measure]) }
    for band in 0..<bands { row.integer(ifPresent: reading.bands?[band]) }
    row.endRow()
    return row.buffer
  }

  /// Returns the heading of the groups' rows.
  func groupHeading(_ key: ReadingGroup.Key) -> [UInt8] {
    var row = CSVWriter(isForTerminal: isForTerminal)
    for name in [
      key.rawValue, "sessions", "measure", "count", "minimum", "lowerQuartile", "median", "upperQuartile", "maximum",
      "mean",
    ] { row.text(name) }
    row.endRow()
    return row.buffer
  }

  /// Returns a group's rows, one for each measure that any session had.
  func rows(_ group: ReadingGroup) -> [UInt8] {
    var row = CSVWriter(isForTerminal: isForTerminal)
    for measure in Reading.Measure.numbers {
      guard let distribution = group.population.distributions[measure] else { continue }
      row.text(ifPresent: group.name)
      row.integer(Int64(group.population.sessions))
      row.text(measure.name)
      row.integer(Int64(distribution.count))
      for number in [
        distribution.minimum, distribution.lowerQuartile, distribution.median, distribution.upperQuartile,
        distribution.maximum, distribution.mean,
      ] { row.number(number) }
      row.endRow()
    }
    return row.buffer
  }
}

extension CSVWriter {
  /// Writes a measure's value.
  mutating func value(_ value: Reading.Value?) {
    switch value {
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    case .word(let word): text(word)
    case nil: missing()
    }
  }
}
