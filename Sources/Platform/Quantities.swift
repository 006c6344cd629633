/// Time spans as systemd writes them (systemd.time(7)): `90`, `1min 30s`, `2d12h`, `1.5h`, `infinity`.
///
/// A number without a unit is in seconds. Numbers and units may have spaces around them.
public enum TimeSpan {
  /// Reads a time span.
  ///
  /// - Returns: The span in microseconds, rounded down; `Int64.max` for `infinity`; `nil` for any other text, and for a
  ///   span beyond `Int64.max`.
  public static func microseconds(_ text: String) -> Int64? {
    if text == "infinity" { return Int64.max }
    var rest = text.dropLeadingSpaces()
    if rest.isEmpty { return nil }
    var total: Int64 = 0
    while !rest.isEmpty {
      guard let number = DecimalNumber(removingFrom: &rest) else { return nil }
      rest = rest.dropLeadingSpaces()
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count).dropLeadingSpaces()
      guard let scale = units[unit.isEmpty ? "s" : String(unit)], let part = number.scaled(by: scale) else {
        return nil
      }
      let (sum, overflow) = total.addingReportingOverflow(part)
      if overflow { return nil }
      total = sum
    }
    return total
  }

  /// The units and their microseconds. Upper case counts: `M` is a month, `m` a minute.
  private static let units: [String: Int64] = [
    // The micro sign, and the Greek letter.
    "\u{B5}s": 1, "\u{3BC}s": 1, "us": 1, "usec": 1,
    "ms": 1000, "msec": 1000,
    "s": second, "sec": second, "second": second, "seconds": second,
    "m": 60 * second, "min": 60 * second, "minute": 60 * second, "minutes": 60 * second,
    "h": 3600 * second, "hr": 3600 * second, "hour": 3600 * second, "hours": 3600 * second,
    "d": day, "day": day, "days": day,
    "w": 7 * day, "week": 7 * day, "weeks": 7 * day,
    // 30.44 and 365.25 days.
    "M": day / 100 * 3044, "month": day / 100 * 3044, "months": day / 100 * 3044,
    "y": day / 100 * 36525, "year": day / 100 * 36525, "years": day / 100 * 36525,
  ]

  private static let second: Int64 = 1_000_000
  private static let day: Int64 = 86_400 * second
}

/// Sizes as systemd writes them: `4096`, `64K`, `500M`, `2G`, with units of 1,024 up to `E`.
public enum ByteSize {
  /// Reads a size.
  ///
  /// - Returns: The size in bytes; `nil` for any other text, and for a size beyond `Int64.max`.
  public static func bytes(_ text: String) -> Int? {
    let shift = text.last.flatMap { units[$0] }
    let digits = shift == nil ? text : String(text.dropLast())
    guard let first = digits.first, first.isASCIIDigit, let number = Int(digits) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return overflow ? nil : bytes
  }

  /// The units, and the powers of two that they are.
  private static let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60]
}

/// A number such as `1`, `1.5` or `.5`, exact in any unit.
private struct DecimalNumber {
  private let whole: Int64
  private let fraction: Substring

  /// Takes the number at the beginning of a text; `nil` where the text begins with no number, or with one too large.
  init?(removingFrom text: inout Substring) {
    let digits = text.prefix { $0.isASCIIDigit }
    text = text.dropFirst(digits.count)
    if text.first == "." {
      text = text.dropFirst()
      fraction = text.prefix { $0.isASCIIDigit }
      text = text.dropFirst(fraction.count)
    } else {
      fraction = ""
    }
    guard !digits.isEmpty || !fraction.isEmpty, text.first != ".", let whole = digits.isEmpty ? 0 : Int64(digits) else {
      return nil
    }
    self.whole = whole
  }

  /// The number in units of `scale`, rounded down; `nil` where it is too large.
  func scaled(by scale: Int64) -> Int64? {
    var (result, overflow) = whole.multipliedReportingOverflow(by: scale)
    if overflow { return nil }
    // Like systemd, this drops what is below a microsecond, digit by digit.
    var place = scale
    for digit in fraction {
      place /= 10
      (result, overflow) = result.addingReportingOverflow(place * Int64(digit.wholeNumberValue ?? 0))
      if overflow { return nil }
    }
    return result
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

extension StringProtocol {
  fileprivate func dropLeadingSpaces() -> Substring { Substring(drop { $0 == " " || $0 == "\t" }) }
}
