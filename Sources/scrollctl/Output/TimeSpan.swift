/// Time spans as text: `10min`, `1h30m`, `2 days`, `90` (seconds), as in systemd.time(7).
enum TimeSpan {
  /// Returns the span in microseconds; `nil` when the text is not a time span.
  static func read(_ text: String) -> Int64? {
    var rest = text.filter { $0 != " " }[...]
    var total = 0.0
    if rest.isEmpty { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count)
      guard let number = Double(digits), let scale = units[unit.isEmpty ? "s" : String(unit)] else { return nil }
      total += number * scale
    }
    return total < 9e18 ? Int64(total) : nil
  }

  private static let units: [String: Double] = [
    "us": 1, "µs": 1, "usec": 1, "ms": 1e3, "msec": 1e3,
    "s": 1e6, "sec": 1e6, "second": 1e6, "seconds": 1e6,
    "m": 6e7, "min": 6e7, "minute": 6e7, "minutes": 6e7,
    "h": 3.6e9, "hr": 3.6e9, "hour": 3.6e9, "hours": 3.6e9,
    "d": 8.64e10, "day": 8.64e10, "days": 8.64e10,
    "w": 6.048e11, "week": 6.048e11, "weeks": 6.048e11,
  ]
}
