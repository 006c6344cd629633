import ScrollModel

/// Times in another unit than microseconds since 1970, and clocks that run backwards.
struct TimeCheck {
  /// The years 2001 to 2099 in microseconds, and in other units.
  private static let units: [(range: Range<Int64>, text: String)] = [
    (1_000_000_000..<4_100_000_000, "looks like seconds since 1970"),
    (1_000_000_000_000..<4_100_000_000_000, "looks like milliseconds since 1970"),
    (1_000_000_000_000_000..<4_100_000_000_000_000, ""),
  ]

  private var unit: Finding?
  private var backwards: Finding?

  var findings: [Finding] { [unit, backwards].compactMap { $0 } }

  mutating func add(_ step: CheckedEvent) {
    let time = step.event.time
    let text =
      Self.units.first { $0.range.contains(time) }?.text ?? "is not in this century, in microseconds since 1970"
    if !text.isEmpty { unit.note(.timeUnit, step, "the time \(time) \(text)") }
    guard let before = step.before.time, DisorderedTimes.isDisordered(time, after: before) else { return }
    let (span, overflow) = before.subtractingReportingOverflow(time)
    backwards.note(
      .timesBackwards, step, "the time is \(NumberText.seconds(overflow ? .max : span)) before the last event's")
  }
}
