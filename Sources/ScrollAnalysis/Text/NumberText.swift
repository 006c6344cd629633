import ScrollModel

/// Numbers and times as people read them.
public enum NumberText {
  /// A number with at most `places` decimal places and no trailing zeros: `7.5`, `300`.
  static func rounded(_ value: Double, places: Int = 2) -> String {
    let scale = power(places)
    let scaled = (value * scale).rounded()
    // Beyond 2^53 a double has no decimal places to round.
    guard scaled.magnitude < 9_007_199_254_740_992 else { return shortest(value) }
    return shortest(scaled == 0 ? 0 : scaled / scale)
  }

  /// A text in which no number has more decimal places than people need: three below 10, otherwise two.
  ///
  ///     NumberText.rounded(in: "travelUp 12.666999999999916 ≥ showDistance 10")   // travelUp 12.67 ≥ showDistance 10
  public static func rounded(in text: String) -> String {
    let characters = Array(text)
    var result = ""
    var index = 0
    while index < characters.count {
      let isStart = isDigit(characters[index]) && (index == 0 || !characters[index - 1].isLetter)
      var end = index + 1
      if isStart {
        while end < characters.count, isPartOfNumber(characters, end) { end += 1 }
        // A full stop after a number ends the sentence.
        if characters[end - 1] == "." { end -= 1 }
      }
      let word = String(characters[index..<end])
      if isStart, word.contains(where: { $0 == "." || $0 == "e" }), let number = Double(word) {
        result += rounded(number, places: number < 10 ? 3 : 2)
      } else {
        result += word
      }
      index = end
    }
    return result
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  private static func isPartOfNumber(_ characters: [Character], _ index: Int) -> Bool {
    switch characters[index] {
    case ".": return true
    case "e":
      return index + 1 < characters.count && (isDigit(characters[index + 1]) || "+-".contains(characters[index + 1]))
    case "+", "-": return characters[index - 1] == "e"
    default: return isDigit(characters[index])
    }
  }

  /// A number rounded so that it is at least `value`: scrolling that far is far enough.
  static func atLeast(_ value: Double, places: Int = 2) -> String {
    let text = rounded(value, places: places)
    // A difference that no screen can show does not matter.
    guard let read = Double(text), read < value - 0.000_001 else { return text }
    let scaled = (value * power(places)).rounded(.up)
    return scaled.magnitude < 9_007_199_254_740_992 ? shortest(scaled / power(places)) : shortest(value)
  }

  /// The nearest number with at most two decimal places in a direction, so that what is printed is what was tried. A number
  /// that has none as near is returned unchanged.
  static func printable(_ value: Double, _ direction: FloatingPointRoundingRule) -> Double {
    let scaled = (value * 100).rounded(direction)
    guard scaled.magnitude < 9_007_199_254_740_992 else { return value }
    let near = [scaled - 1, scaled, scaled + 1].map { $0 / 100 }
    switch direction {
    case .down: return near.last { $0 <= value } ?? value
    default: return near.first { $0 >= value } ?? value
    }
  }

  /// A length as words: `1 point`, `7.5 points`.
  static func points(_ value: Double) -> String {
    let text = rounded(value)
    return text + (text == "1" ? " point" : " points")
  }

  /// A number with exactly `places` decimal places: `0.50`.
  static func fixed(_ value: Double, places: Int) -> String {
    let scaled = (value.magnitude * power(places)).rounded()
    guard scaled < 9_007_199_254_740_992 else { return shortest(value) }
    return decimal(UInt64(scaled), places: places, isNegative: value < 0 && scaled > 0)
  }

  /// A number in units of its last decimal place: `0.50` for 50 with 2 places. Long tables have so many of them that joining
  /// strings would take most of their time.
  private static func decimal(_ scaled: UInt64, places: Int, isNegative: Bool) -> String {
    var digits = 1
    var rest = scaled / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    digits = max(digits, places + 1)
    let count = digits + (places > 0 ? 1 : 0) + (isNegative ? 1 : 0)
    return String(unsafeUninitializedCapacity: count) { bytes in
      var rest = scaled
      var index = count
      for place in 0..<digits {
        if place == places, places > 0 {
          index -= 1
          bytes[index] = UInt8(ascii: ".")
        }
        index -= 1
        bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      if isNegative { bytes[0] = UInt8(ascii: "-") }
      return count
    }
  }

  /// A time span in seconds: `6.305 s`, from a minute on `1:30.000`, from an hour on `1:02:03.500`.
  public static func seconds(_ microseconds: Int64) -> String {
    let span = microseconds.magnitude
    let sign = microseconds < 0 ? "-" : ""
    let fraction = fixed(Double(span % 60_000_000) / 1_000_000, places: 3)
    guard span >= 60_000_000 else { return "\(sign)\(fraction) s" }
    let padded = (fraction.count < 6 ? "0" : "") + fraction
    let minutes = span / 60_000_000
    guard minutes >= 60 else { return "\(sign)\(minutes):\(padded)" }
    let rest = minutes % 60
    return "\(sign)\(minutes / 60):\(rest < 10 ? "0" : "")\(rest):\(padded)"
  }

  /// A span of microseconds since a session's first event, ≥ 0: `+6.305 s`, `+1:30.000`. The sign tells it from a time of day.
  public static func sinceStart(_ microseconds: Int64) -> String { "+" + seconds(max(0, microseconds)) }

  private static func power(_ places: Int) -> Double {
    (0..<places).reduce(1) { power, _ in power * 10 }
  }
}
