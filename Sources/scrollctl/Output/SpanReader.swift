import Platform

/// Reads time spans in every form in which verbs print them, such as `6.305 s`, `+1:30.000`, `1:30` or `50:02:03.500`, and as
/// systemd.time(7) describes them.
enum SpanReader {
  /// Returns the span in microseconds, ≥ 0; `nil` when the text is not a span. A number without a unit is in seconds.
  static func read(_ text: String) -> Int64? {
    let text = text.hasPrefix("+") ? String(text.dropFirst()) : text
    return text.contains(":") ? clock(text) : TimeSpan.microseconds(text)
  }

  /// Reads minutes and seconds, with hours before them from one hour on, as on a stopwatch: the first number has no limit.
  private static func clock(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.dropLast().allSatisfy(isNumber), let last = parts.last,
      last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).allSatisfy(isNumber),
      let seconds = Double(last), seconds < 60
    else { return nil }
    var minutes: Int64 = 0
    for (index, part) in parts.dropLast().enumerated() {
      guard let number = Int64(part), number < (index == 0 ? 100_000_000 : 60) else { return nil }
      minutes = minutes * 60 + number
    }
    return minutes * 60_000_000 + Int64((seconds * 1e6).rounded())
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
