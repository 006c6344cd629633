/// The name of a client, which is one scroll view of one process, such as `reader/window-3`.
///
/// Names are bytes: two names are the same only if their UTF-8 is. Swift's `String` also takes `é` and `e` with a
/// combining accent for equal, so a name must not be compared or be a key as a `String`.
public struct ClientName: Sendable {
  /// The longest name, in UTF-8 bytes.
  public static let maximumLength = 255

  /// The name as text. Compare names, not their texts.
  public let text: String

  /// Creates a name from any text, such as one that asks for a client. See ``validate(_:)`` for the rule that the name
  /// of a new client follows.
  public init(_ text: String) { self.text = text }

  /// Checks that a name has 1 to 255 bytes of UTF-8 and no control characters (U+0000…U+001F, U+007F…U+009F).
  ///
  /// - Throws: ``EventProblem`` with field `client`.
  public static func validate(_ name: String) throws(EventProblem) {
    let length = name.utf8.count
    if length == 0 {
      throw EventProblem(field: "client", reason: "is empty: it must have 1 to \(maximumLength) bytes")
    }
    if length > maximumLength {
      throw EventProblem(
        field: "client", reason: "has \(length) bytes of UTF-8: it must have 1 to \(maximumLength)")
    }
    for (index, scalar) in name.unicodeScalars.enumerated() where scalar.isControl {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
      throw EventProblem(
        field: "client", reason: "has the control character U+\(padded) at character \(index + 1)")
    }
  }
}

extension ClientName: Hashable, Comparable {
  /// Whether two names have the same bytes.
  public static func == (first: ClientName, second: ClientName) -> Bool {
    first.text.utf8.count == second.text.utf8.count && first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Whether a name comes before another one, byte by byte.
  public static func < (first: ClientName, second: ClientName) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  /// Hashes the name's bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No byte of UTF-8, so that names in a row don't run together.
    hasher.combine(0xFF as UInt8)
  }
}

extension ClientName: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates a name from a literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// The name as text.
  public var description: String { text }
}

extension Unicode.Scalar {
  /// Whether the character is a control character (U+0000…U+001F, U+007F…U+009F). Names must not contain one.
  public var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

  /// Whether the character can change what surrounds it: a control character, one that sets the writing direction, or
  /// one that breaks lines. Programs must not print one to a terminal, and files that people read must not contain one.
  public var isUnsafeToPrint: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: isControl
    }
  }
}
