/// Reads parts of large JSON texts, and passes over the rest at any depth.
///
/// `JSONParser` has limits that protect the daemon; a recording of a page contains the whole page, which is deeper and larger.
struct JSONScanner {
  /// Why a text cannot be read, and where.
  struct Problem: Error {
    var offset: Int
    var reason: String
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int

  init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The next byte that is no space; `nil` at the end.
  mutating func peek() -> UInt8? {
    while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    return offset < bytes.count ? bytes[offset] : nil
  }

  /// Passes over a character, if it is the next one.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Reads an object. `body` has to read or skip each member's value.
  mutating func object(_ body: (inout JSONScanner, String) throws(Problem) -> Void) throws(Problem) {
    try expect("{")
    if take("}") { return }
    repeat {
      let name = try string()
      try expect(":")
      try body(&self, name)
    } while take(",")
    try expect("}")
  }

  /// Reads an array. `body` has to read or skip each element.
  mutating func array(_ body: (inout JSONScanner) throws(Problem) -> Void) throws(Problem) {
    try expect("[")
    if take("]") { return }
    repeat { try body(&self) } while take(",")
    try expect("]")
  }

  /// Reads a number, or skips anything else; then it returns `nil`.
  mutating func number() throws(Problem) -> Double? {
    guard let byte = peek(), byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) else {
      try skip()
      return nil
    }
    let start = offset
    while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
    guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
      throw Problem(offset: start, reason: "invalid number")
    }
    return number
  }

  /// Reads a string, or skips anything else; then it returns `nil`.
  mutating func text() throws(Problem) -> String? {
    if peek() == UInt8(ascii: "\"") { return try string() }
    try skip()
    return nil
  }

  private mutating func string() throws(Problem) -> String {
    _ = peek()
    let start = offset
    try skipString()
    let raw = bytes[(start + 1)..<(offset - 1)]
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    return Self.unescaped(raw)
  }

  /// Resolves the escapes of a string. An invalid one stays as it is.
  private static func unescaped(_ raw: Slice<UnsafeRawBufferPointer>) -> String {
    var units: [UInt16] = []
    var rest = Array(String(decoding: raw, as: UTF8.self).utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5C, let letter = rest.popFirst() else {
        units.append(unit)
        continue
      }
      let simple: [UInt16: UInt16] = [0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]
      if letter == 0x75, let code = UInt16(String(decoding: rest.prefix(4), as: UTF16.self), radix: 16), rest.count >= 4
      {
        units.append(code)
        rest = rest.dropFirst(4)
      } else {
        units.append(simple[letter] ?? letter)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Passes over a value of any depth.
  mutating func skip() throws(Problem) {
    var depth = 0
    repeat {
      switch peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { throw unexpected() }
        depth -= 1
        offset += 1
      case UInt8(ascii: "\""): try skipString()
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { throw unexpected() }
        offset += 1
        // A value or a name has to follow.
        continue
      case nil: throw unexpected()
      default: try skipWord()
      }
    } while depth > 0
  }

  private mutating func skipWord() throws(Problem) {
    let start = offset
    while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
    if offset == start { throw unexpected() }
  }

  /// Whether a byte can be a part of a number, `true`, `false` or `null`.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private mutating func skipString() throws(Problem) {
    guard peek() == UInt8(ascii: "\"") else { throw unexpected() }
    let start = offset
    offset += 1
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): offset += 2
      default: offset += 1
      }
    }
    throw Problem(offset: start, reason: "a string has no closing quote")
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Problem) {
    if !take(character) { throw unexpected() }
  }

  private mutating func unexpected() -> Problem {
    guard peek() != nil else { return Problem(offset: bytes.count, reason: "the text ends too early") }
    return Problem(offset: offset, reason: "invalid JSON")
  }
}
