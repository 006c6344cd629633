import Platform
import ScrollModel

/// Returns a text that is safe to print on a terminal. Control characters, and characters that change the writing direction or
/// break lines, become `\u{1B}` and the like. So does every character of a text that is blank.
func visible(_ text: String) -> String {
  if text.utf8.first != 0x20, text.isPrintableASCII { return text }
  let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  return escaped(text) { isBlank || $0.isUnsafeToPrint }
}

/// Returns a line that is safe to print on a terminal, with the colors that ``Style`` gives it.
///
/// ``Output`` applies it to every line. So a text that nobody passed through ``visible(_:)`` can do no harm.
func printable(_ line: String) -> String {
  // Most lines are ASCII without colors.
  if line.isPrintableASCII { return line }
  var rest = line.utf8[...]
  var result = ""
  while let start = rest.firstIndex(of: 0x1B) {
    result += escaped(String(rest[..<start]) ?? "") { $0.isUnsafeToPrint }
    rest = rest[start...]
    let code = Style.codes.first { rest.starts(with: $0.utf8) }
    result += code ?? "\\u{1B}"
    rest = rest.dropFirst(code?.utf8.count ?? 1)
  }
  return result + escaped(String(rest) ?? "") { $0.isUnsafeToPrint }
}

/// Returns a text with lines that is safe to print on a terminal: line breaks and tabs stay.
func harmless(_ text: String) -> String {
  if text.isPrintableASCII { return text }
  return escaped(text) { $0.isUnsafeToPrint && !["\n", "\r", "\t"].contains($0) }
}

private func escaped(_ text: String, where mustBeEscaped: (Unicode.Scalar) -> Bool) -> String {
  guard text.unicodeScalars.contains(where: mustBeEscaped) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if mustBeEscaped(scalar) {
      result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Users' names, each looked up once.
struct UserNames {
  private var names: [UInt32: String] = [:]

  /// The name of a user id; the id itself where nobody has it.
  mutating func name(of user: UInt32) -> String {
    if let name = names[user] { return name }
    let name = Accounts.userName(of: user).map(visible) ?? String(user)
    names[user] = name
    return name
  }
}
