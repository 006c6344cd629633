// scrollctl vacuum: the oldest part of the log goes now.

import ScrollClient

extension Verb {
  private static let maximumUse = Option(
    name: "max-use", value: "SIZE", summary: "Until the log takes at most this much, such as 500M")
  private static let maximumAge = Option(
    name: "max-age", value: "SPAN", summary: "What is older than this, such as “2 weeks”")

  static let vacuum = Verb(
    name: "vacuum", group: .manage,
    options: [maximumUse, maximumAge],
    summary: "Have the daemon remove the oldest part of its log",
    details: [
      "Whole files are removed, the oldest first, and never the one that is written to: “rotate” begins another. Sessions "
        + "that are open go on. What the daemon keeps by itself is said by MaxUse=, KeepFree= and MaxRetentionSec= in "
        + "scrolld.conf."
    ],
    examples: [
      Example(arguments: "vacuum --max-use 500M", meaning: "Keep the newest 500 MiB."),
      Example(arguments: "vacuum --max-age 2weeks", meaning: "Keep what came within two weeks."),
    ]
  ) { invocation in
    let command = invocation.command
    var use: Int64?
    var age: Duration?
    if let text = command.text(maximumUse) {
      use = ByteSize.read(text)
      if use == nil { throw badValue(maximumUse, text, "a size such as 500M or 2G") }
    }
    if let text = command.text(maximumAge) {
      age = TimeSpan.read(text).map { .microseconds($0) }
      if age == nil { throw badValue(maximumAge, text, "a time span such as “2 weeks” or 36h") }
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
      try invocation.output.line("\(freed) bytes freed, the log begins at position \(firstPosition).")
    }
    return .done
  }

  private static func badValue(_ option: Option, _ text: String, _ expected: String) -> UsageError {
    .badValue(option: option.name, text: text, expected: expected)
  }
}
