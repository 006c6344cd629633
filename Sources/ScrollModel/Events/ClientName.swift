/// The rule for the name of a client, which is one scroll view of one process, such as `reader/window-3`.
public enum ClientName {
  /// The longest name, in UTF-8 bytes.
  public static let maximumLength = 255

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
    for (index, scalar) in name.unicodeScalars.enumerated() where isControl(scalar) {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
      throw EventProblem(
        field: "client", reason: "has the control character U+\(padded) at character \(index + 1)")
    }
  }

  /// Whether a character is a control character. Names must not contain one, and programs must not print one to a
  /// terminal.
  public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }
}
