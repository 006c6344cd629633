/// A set of characters in a pattern: `[abc]`, `[a-z]`, `[[:digit:]]`, or its complement with `!` or `^` in front.
struct BracketExpression: Sendable {
  /// What follows an opening bracket.
  enum Parsed {
    /// A set, with the index behind its closing bracket.
    case expression(BracketExpression, end: Int)
    /// No set, since no closing bracket follows: the opening bracket is an ordinary character.
    case unterminated
    /// A class or element that does not exist, or a backslash at the end: the pattern matches nothing.
    case malformed
  }

  /// A range's end, or the whole of a single character.
  private enum Element {
    case scalar(UInt32)
    case members([ClosedRange<UInt32>])
    case malformed
  }

  private var isComplement = false
  /// In order, not overlapping.
  private var ranges: [ClosedRange<UInt32>] = []

  /// How much memory it takes at most, in bytes.
  var heldBytes: Int { 64 + 2 * ranges.count * MemoryLayout<ClosedRange<UInt32>>.stride }

  /// Returns whether a scalar is in the set.
  func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return (low < ranges.count && ranges[low].contains(scalar)) != isComplement
  }

  /// Parses the set that begins behind an opening bracket.
  static func parse(_ pattern: [UInt32], after start: Int) -> Parsed {
    var set = BracketExpression()
    var index = start
    if index < pattern.count, pattern[index] == "!" || pattern[index] == "^" {
      set.isComplement = true
      index += 1
    }
    let first = index
    while index < pattern.count {
      if pattern[index] == "]", index > first {
        set.sort()
        return .expression(set, end: index + 1)
      }
      switch element(pattern, &index) {
      case .malformed: return .malformed
      case .members(let ranges): set.ranges += ranges
      case .scalar(let scalar):
        guard index + 1 < pattern.count, pattern[index] == "-", pattern[index + 1] != "]" else {
          set.ranges.append(scalar...scalar)
          continue
        }
        index += 1
        guard case .scalar(let last) = rangeEnd(pattern, &index) else { return .malformed }
        // A range that runs backwards is empty.
        if scalar <= last { set.ranges.append(scalar...last) }
      }
    }
    return .unterminated
  }

  /// Sorts the ranges and joins those that overlap, so that a look-up takes few steps.
  private mutating func sort() {
    var sorted: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let before = sorted.last, range.lowerBound <= before.upperBound {
        sorted[sorted.count - 1] = before.lowerBound...max(before.upperBound, range.upperBound)
      } else {
        sorted.append(range)
      }
    }
    ranges = sorted
  }

  private static func element(_ pattern: [UInt32], _ index: inout Int) -> Element {
    let scalar = pattern[index]
    index += 1
    if scalar == "\\" { return quoted(pattern, &index) }
    guard scalar == "[", index < pattern.count else { return .scalar(scalar) }
    switch pattern[index] {
    case ":": return characterClass(pattern, &index)
    case "=":
      guard let single = single(pattern, index, "=") else { return .scalar(scalar) }
      index += 4
      return .members([single...single])
    case ".": return collatingElement(pattern, &index)
    default: return .scalar(scalar)
    }
  }

  private static func rangeEnd(_ pattern: [UInt32], _ index: inout Int) -> Element {
    let scalar = pattern[index]
    index += 1
    if scalar == "\\" { return quoted(pattern, &index) }
    if scalar == "[", index < pattern.count, pattern[index] == "." { return collatingElement(pattern, &index) }
    return .scalar(scalar)
  }

  private static func quoted(_ pattern: [UInt32], _ index: inout Int) -> Element {
    guard index < pattern.count else { return .malformed }
    defer { index += 1 }
    return .scalar(pattern[index])
  }

  /// Returns the character of `[=x=]` or `[.x.]`; `nil` if the text is something else.
  private static func single(_ pattern: [UInt32], _ index: Int, _ mark: Unicode.Scalar) -> UInt32? {
    guard index + 3 < pattern.count, pattern[index + 2] == mark, pattern[index + 3] == "]" else { return nil }
    return pattern[index + 1]
  }

  private static func collatingElement(_ pattern: [UInt32], _ index: inout Int) -> Element {
    guard let scalar = single(pattern, index, ".") else { return .malformed }
    index += 4
    return .scalar(scalar)
  }

  /// Parses the rest of `[:name:]`. Text that can't be a class is an ordinary bracket.
  private static func characterClass(_ pattern: [UInt32], _ index: inout Int) -> Element {
    var end = index + 1
    var name = ""
    while end < pattern.count, ("a"..."z").contains(Unicode.Scalar(pattern[end]) ?? " ") {
      Unicode.Scalar(pattern[end]).map { name.unicodeScalars.append($0) }
      end += 1
    }
    guard end + 1 < pattern.count, pattern[end] == ":", pattern[end + 1] == "]" else {
      return .scalar(Unicode.Scalar("[").value)
    }
    guard let ranges = classes[name] else { return .malformed }
    index = end + 2
    return .members(ranges)
  }

  private static let digits: ClosedRange<UInt32> = 0x30...0x39
  private static let upper: ClosedRange<UInt32> = 0x41...0x5A
  private static let lower: ClosedRange<UInt32> = 0x61...0x7A

  /// The classes of POSIX, over ASCII.
  private static let classes: [String: [ClosedRange<UInt32>]] = [
    "alnum": [digits, upper, lower], "alpha": [upper, lower], "blank": [0x09...0x09, 0x20...0x20],
    "cntrl": [0x00...0x1F, 0x7F...0x7F], "digit": [digits], "graph": [0x21...0x7E], "lower": [lower],
    "print": [0x20...0x7E], "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
    "space": [0x09...0x0D, 0x20...0x20], "upper": [upper], "xdigit": [digits, 0x41...0x46, 0x61...0x66],
  ]
}

/// Compares a scalar's value with a literal.
func == (value: UInt32, literal: Unicode.Scalar) -> Bool { value == literal.value }

/// Compares a scalar's value with a literal.
func != (value: UInt32, literal: Unicode.Scalar) -> Bool { value != literal.value }
