import Platform
import ScrollModel

/// Returns a text that is safe to print on a terminal. Control characters, and characters that change the writing direction or
/// break lines, become `\u{1B}` and the like. So does every character of a text that is blank.
func visible(_ text: String) -> String {
  let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  guard isBlank || text.unicodeScalars.contains(where: mustBeEscaped) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isBlank || mustBeEscaped(scalar) {
      result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
  default: ClientName.isControl(scalar)
  }
}

/// Users' names.
enum UserName {
  /// The name of a user id; the id itself where nobody has it.
  static func of(_ user: UInt32) -> String {
    Accounts.userName(of: user).map(visible) ?? String(user)
  }
}
