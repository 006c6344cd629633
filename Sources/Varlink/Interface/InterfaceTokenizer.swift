/// A tokenizer of interface descriptions, which skips white space and comments.
struct InterfaceTokenizer {
  struct Token: Equatable {
    /// A word, one of `( ) [ ] : , ?`, or `->`; empty at the end of the text.
    let text: String
    let line: Int
    let column: Int
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func next() throws(InterfaceSyntaxError) -> Token {
    skipSpace()
    let start = index
    guard index < bytes.count else { return token(from: start) }
    if Self.isWordByte(bytes[index]) {
      // A hyphen is part of a word unless it begins an arrow.
      while index < bytes.count, Self.isWordByte(bytes[index]), !isArrow(at: index) { index += 1 }
      if index > start { return token(from: start) }
    }
    if isArrow(at: index) {
      index += 2
      return token(from: start)
    }
    guard "()[]:,?".utf8.contains(bytes[index]) else {
      throw error(at: token(from: start), "unexpected character")
    }
    index += 1
    return token(from: start)
  }

  func error(at token: Token, _ explanation: String) -> InterfaceSyntaxError {
    InterfaceSyntaxError(line: token.line, column: token.column, explanation: explanation)
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        index += 1
        line += 1
        lineStart = index
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        index += 1
      case UInt8(ascii: "#"):
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      default:
        return
      }
    }
  }

  private func isArrow(at index: Int) -> Bool {
    index + 1 < bytes.count && bytes[index] == UInt8(ascii: "-") && bytes[index + 1] == UInt8(ascii: ">")
  }

  private func token(from start: Int) -> Token {
    Token(text: String(decoding: bytes[start..<index], as: UTF8.self), line: line, column: start - lineStart + 1)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
