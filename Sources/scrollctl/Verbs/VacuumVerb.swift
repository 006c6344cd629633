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
    let (firstPosition, freed) = try invocation.connect().vacuum(maximumBytes: use, maximumAge: age)
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("firstPosition", firstPosition)
        $0.member("freed", freed)
      }
    } else {
      try invocation.output.line("Freed \(freed) bytes; the log begins at position \(firstPosition).")
      if freed == 0 {
        try invocation.output.line(
          "The daemon removes whole files, and never the one that it writes to; “scrollctl rotate” starts a new one.")
      }
    }
    return .done
  }

  private static func badValue(_ option: Option, _ text: String, _ expected: String) -> UsageError {
    .badValue(option: option.name, text: text, expected: expected)
  }
}
