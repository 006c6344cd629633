/// A pattern over client names, compiled once: `*` is any text, `?` one character, and `[…]` one character of a set.
///
/// It matches as fnmatch(3) without flags does: a `*` matches `/` and a leading `.` too, and `\` quotes the next character. A
/// character is a Unicode scalar. A pattern also matches the name that it equals, whatever characters it has.
///
/// The parts between the `*` are found from left to right, each at the first place where it fits. So a match never goes back, and
/// takes at most ``maximumSteps``.
struct ClientPattern: Sendable {
  /// The length of the longest client name, in scalars.
  private static let longestName = 255

  private enum Token {
    case scalar(UInt32)
    case any
    /// A set by its index.
    case set(Int)
  }

  let text: String
  /// The tokens between the stars; a single part in a pattern without a star.
  private let parts: [[Token]]
  private let sets: [BracketExpression]
  /// Whether the pattern is malformed, so that it matches only the name that it equals.
  private let isMalformed: Bool
  private let minimumLength: Int
  /// How many comparisons a match takes at most.
  let maximumSteps: Int
  /// How much memory it takes at most, in bytes: its text, its tokens and sets, and its place in an index.
  let heldBytes: Int

  init(_ text: String) {
    self.text = text
    let scalars = text.unicodeScalars.map(\.value)
    var parts: [[Token]] = [[]]
    var sets: [BracketExpression] = []
    var isMalformed = false
    var index = 0
    while index < scalars.count, !isMalformed {
      let scalar = scalars[index]
      index += 1
      switch scalar {
      case "*": parts.append([])
      case "?": parts[parts.count - 1].append(.any)
      case "\\":
        isMalformed = index == scalars.count
        if !isMalformed { parts[parts.count - 1].append(.scalar(scalars[index])) }
        index += 1
      case "[":
        switch BracketExpression.parse(scalars, after: index) {
        case .expression(let set, let end):
          parts[parts.count - 1].append(.set(sets.count))
          sets.append(set)
          index = end
        case .unterminated: parts[parts.count - 1].append(.scalar(scalar))
        case .malformed: isMalformed = true
        }
      default: parts[parts.count - 1].append(.scalar(scalar))
      }
    }
    self.parts = parts
    self.sets = sets
    self.isMalformed = isMalformed
    minimumLength = parts.reduce(0) { $0 + $1.count }
    let longestInner = parts.dropFirst().dropLast().map(\.count).max() ?? 0
    maximumSteps = 1 + minimumLength + longestInner * Self.longestName
    // Arrays that grow take up to twice what they hold.
    let tokenBytes = 2 * minimumLength * MemoryLayout<Token>.stride + 64 * parts.count
    heldBytes = 512 + 3 * text.utf8.count + tokenBytes + sets.reduce(0) { $0 + $1.heldBytes }
  }

  /// The pattern's UTF-8: two patterns are the same if it is equal, without regard to equivalent characters.
  var key: [UInt8] { Array(text.utf8) }

  /// Whether the pattern matches only the name that it equals.
  var isName: Bool { isMalformed || parts.count == 1 && literalPrefix.count == text.unicodeScalars.count }

  /// The scalars that each name that it matches begins with, unless the name equals the pattern.
  var literalPrefix: [UInt32] {
    var prefix: [UInt32] = []
    for token in parts[0] {
      guard case .scalar(let scalar) = token else { break }
      prefix.append(scalar)
    }
    return prefix
  }

  func matches(_ name: ScannedName) -> Bool {
    let scalars = name.scalars
    if !isMalformed, minimumLength <= scalars.count, matchesParts(of: scalars) { return true }
    return text.utf8.elementsEqual(name.text.utf8)
  }

  private func matchesParts(of name: [UInt32]) -> Bool {
    let first = parts[0]
    guard fits(first, at: 0, name) else { return false }
    if parts.count == 1 { return first.count == name.count }
    let last = parts[parts.count - 1]
    let end = name.count - last.count
    guard fits(last, at: end, name) else { return false }
    var place = first.count
    for part in parts.dropFirst().dropLast() {
      while place + part.count <= end, !fits(part, at: place, name) { place += 1 }
      place += part.count
      if place > end { return false }
    }
    return true
  }

  private func fits(_ part: [Token], at start: Int, _ name: [UInt32]) -> Bool {
    for index in part.indices {
      switch part[index] {
      case .scalar(let scalar): if name[start + index] != scalar { return false }
      case .any: break
      case .set(let set): if !sets[set].contains(name[start + index]) { return false }
      }
    }
    return true
  }
}

/// A client's name, split once for all patterns that it is matched against.
struct ScannedName {
  let text: String
  let scalars: [UInt32]

  init(_ text: String) {
    self.text = text
    var text = text
    let ascii = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } ? bytes.map { UInt32($0) } : nil }
    scalars = ascii ?? text.unicodeScalars.map(\.value)
  }
}

/// Matches a scalar's value against a literal in a `switch`.
func ~= (literal: Unicode.Scalar, value: UInt32) -> Bool { literal.value == value }
