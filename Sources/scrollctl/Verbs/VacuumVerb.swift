import Platform
import ScrollClient

extension Verb {
  private static let maximumUse = Option(
    name: "max-use", value: "SIZE", summary: "Remove files until the log takes at most SIZE, such as 500M")
  private static let maximumAge = Option(
    name: "max-age", value: "SPAN", summary: "Remove files older than SPAN, such as 1month")

  static let vacuum = Verb(
    name: "vacuum", group: .manage,
    options: [maximumUse, maximumAge],
    summary: "Remove the oldest part of the daemon's log",
    details: [
      "The daemon removes whole files, the oldest first, but never the file that it writes to; “rotate” starts a new one. "
        + "scrollctl says so if the log still takes more than SIZE. "
        + "Open sessions continue. MaxUse=, KeepFree= and MaxRetentionSec= in scrolld.conf set what the daemon keeps by "
        + "itself."
    ],
    examples: [
      Example(arguments: "vacuum --max-use 500M", meaning: "Keep the newest 500 MiB."),
      Example(arguments: "vacuum --max-age 2weeks", meaning: "Keep the records of the last two weeks."),
    ]
  ) { invocation in
    let command = invocation.command
    var use: Int64?
    var age: Duration?
    if let text = command.text(maximumUse) {
      use = ByteSize.bytes(text).map { Int64($0) }
      if use == nil { throw badValue(maximumUse, text, "a size such as 500M or 2G") }
    }
    if let text = command.text(maximumAge) {
      age = TimeSpan.microseconds(text).map { .microseconds($0) }
      if age == nil { throw badValue(maximumAge, text, "a time span such as 1month, “2 weeks” or 36h") }
    }
    if use == nil, age == nil {
      throw UsageError.missingOption("--max-use SIZE or --max-age SPAN", verb: invocation.verbName)
    }
    let daemon = try invocation.connect()
    let (firstPosition, freed) = try daemon.vacuum(maximumBytes: use, maximumAge: age)
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("firstPosition", firstPosition)
        $0.member("freed", freed)
      }
    } else {
      let outcome = VacuumOutcome(
        firstPosition: firstPosition, freed: freed, maximumUse: use, statistics: try daemon.statistics())
      try invocation.output.lines(outcome.lines)
    }
    return .done
  }

  private static func badValue(_ option: Option, _ text: String, _ expected: String) -> UsageError {
    .badValue(option: option.name, text: text, expected: expected)
  }
}

/// What vacuuming came to, in words.
struct VacuumOutcome {
  var firstPosition: Int64
  /// The size of the removed files, in bytes.
  var freed: Int64
  /// The size that the log should have, in bytes; `nil` for any.
  var maximumUse: Int64?
  /// The daemon's statistics afterwards.
  var statistics: DaemonStatistics

  var lines: [String] {
    let isEmpty = firstPosition > statistics.lastPosition
    let rest = isEmpty ? "is empty; its next position is \(firstPosition)" : "begins at position \(firstPosition)"
    var lines = ["Freed \(ByteSize.text(freed)); the log \(rest)."]
    let isDelayed = metric("log_kept_for_backup") == 1
    if isDelayed { lines.append("A backup is running, which keeps all files. Repeat the command when it has ended.") }
    let hasOneFile = metric("log_segments") == 1
    if let maximumUse, let use = metric("log_bytes"), use > maximumUse {
      lines.append("It still takes \(ByteSize.text(use)), which is more than \(ByteSize.text(maximumUse)).")
      if isDelayed { return lines }
      if isEmpty { return lines + ["Only the file that the daemon writes to is left, for which it reserves space."] }
    } else if freed > 0 || isDelayed {
      return lines
    }
    lines.append(
      hasOneFile
        ? "The daemon never removes the file that it writes to, the only one; “scrollctl rotate” starts a new one."
        : "The daemon removes whole files, and never the one that it writes to; “scrollctl rotate” starts a new one.")
    return lines
  }

  private func metric(_ name: String) -> Int64? { statistics.metrics.first { $0.name == name }?.value }
}
