/// Parsers for values in systemd's syntax. Each returns `nil` for invalid text.
enum SettingValue {
  /// Parses a time span, in microseconds: `90`, `1min 30s`, `1.5h`, `infinity` (systemd.time(7)). A number without a unit is in
  /// seconds.
  static func microseconds(_ text: String) -> Int64? {
    if text == "infinity" { return Int64.max }
    var total = 0.0
    var rest = Substring(text).trimmingSpaces()
    if rest.isEmpty { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      guard let number = Double(digits), !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count).trimmingSpaces()
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count).trimmingSpaces()
      guard let scale = unitMicroseconds[unit.isEmpty ? "s" : String(unit)] else { return nil }
      total += number * scale
    }
    return total < 9e18 ? Int64(total) : nil
  }

  private static let unitMicroseconds: [String: Double] = [
    "us": 1, "µs": 1, "usec": 1,
    "ms": 1e3, "msec": 1e3,
    "s": 1e6, "sec": 1e6, "second": 1e6, "seconds": 1e6,
    "m": 6e7, "min": 6e7, "minute": 6e7, "minutes": 6e7,
    "h": 3.6e9, "hr": 3.6e9, "hour": 3.6e9, "hours": 3.6e9,
    "d": 8.64e10, "day": 8.64e10, "days": 8.64e10,
    "w": 6.048e11, "week": 6.048e11, "weeks": 6.048e11,
    // 30.44 and 365.25 days, as systemd counts them.
    "M": 2_630_016e6, "month": 2_630_016e6, "months": 2_630_016e6,
    "y": 31_557_600e6, "year": 31_557_600e6, "years": 31_557_600e6,
  ]

  /// Parses a size in bytes: `4096`, `64K`, `16M`, `1G`, with powers of 1,024.
  static func bytes(_ text: String) -> Int? {
    var digits = text
    var scale = 1
    if let unit = text.last, let factor = units[unit] {
      scale = factor
      digits = String(text.dropLast())
    }
    guard let number = Int(digits), number >= 0, digits.first != "+" else { return nil }
    let (size, overflow) = number.multipliedReportingOverflow(by: scale)
    return overflow ? nil : size
  }

  private static let units: [Character: Int] = [
    "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60,
  ]

  /// Parses a share of a file system: a size, or a whole percentage such as `10%`.
  static func diskShare(_ text: String) -> DiskShare? {
    guard text.last == "%" else { return bytes(text).map { .bytes(Int64($0)) } }
    return count(String(text.dropLast())).flatMap { $0 <= 100 ? .percent($0) : nil }
  }

  /// Parses a boolean, with systemd's words, in upper or lower case.
  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "yes", "y", "true", "t", "on": true
    case "0", "no", "n", "false", "f", "off": false
    default: nil
    }
  }

  /// Parses a whole number of 0 or more.
  static func count(_ text: String) -> Int? {
    guard let number = Int(text), number >= 0, text.first != "+" else { return nil }
    return number
  }

  /// Splits a list at white space.
  static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}
