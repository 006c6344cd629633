/// Reads records of delimited text: CSV by RFC 4180, or the same with another separator.
///
/// A field may be in quotes, and then have separators, line breaks and doubled quotes. Lines end with LF, CRLF or CR. A byte
/// order mark at the beginning and empty lines are skipped.
struct DelimitedText {
  /// A record and the number of the line that it begins in, 1 for the first.
  struct Record: Equatable {
    var line: Int
    var fields: [String]
  }

  /// Why a record cannot be read.
  struct Problem: Error, Equatable {
    var line: Int
    var reason: String
  }

  private static let quote = UInt8(ascii: "\"")
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let bytes: [UInt8]
  private let separator: UInt8
  /// The offset of the next record in the text.
  private(set) var offset = 0
  private var line = 1

  init(_ bytes: [UInt8], separator: UInt8) {
    self.bytes = bytes
    self.separator = separator
    if bytes.starts(with: Self.byteOrderMark) { offset = Self.byteOrderMark.count }
  }

  /// Returns the separator of a CSV text: a semicolon when its first line has some, and outside of quotes no comma except for
  /// decimal ones between digits.
  static func separator(ofCSV bytes: [UInt8]) -> UInt8 {
    var isQuoted = false
    let first = bytes.prefix { $0 != 0x0A && $0 != 0x0D }.filter { byte in
      if byte == quote { isQuoted.toggle() }
      return !isQuoted
    }
    let comma = UInt8(ascii: ",")
    let semicolon = UInt8(ascii: ";")
    let isDigit = { (index: Int) in first.indices.contains(index) && (0x30...0x39).contains(first[index]) }
    let hasOnlyDecimalCommas = first.indices.allSatisfy {
      first[$0] != comma || isDigit($0 - 1) && isDigit($0 + 1)
    }
    return hasOnlyDecimalCommas && first.contains(semicolon) ? semicolon : comma
  }

  /// Reads the next record; `nil` at the end.
  ///
  /// - Throws: ``Problem``; the next call continues with the next line.
  mutating func next() throws(Problem) -> Record? {
    while true {
      guard offset < bytes.count else { return nil }
      let first = line
      let fields = try fields()
      // An empty line has one empty field, and so does a line with "" alone, which nobody writes.
      if fields != [""] { return Record(line: first, fields: fields) }
    }
  }

  private mutating func fields() throws(Problem) -> [String] {
    var fields: [String] = []
    while true {
      fields.append(try offset < bytes.count && bytes[offset] == Self.quote ? quotedField() : plainField())
      guard offset < bytes.count, bytes[offset] == separator else {
        skipLineEnd()
        return fields
      }
      offset += 1
    }
  }

  private mutating func plainField() -> String {
    let start = offset
    while offset < bytes.count, bytes[offset] != separator, !isLineEnd(bytes[offset]) { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func quotedField() throws(Problem) -> String {
    let first = line
    var text: [UInt8] = []
    offset += 1
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == Self.quote {
        offset += 1
        guard offset < bytes.count, bytes[offset] == Self.quote else {
          if offset < bytes.count, bytes[offset] != separator, !isLineEnd(bytes[offset]) {
            skipLine()
            throw Problem(line: first, reason: "a quoted field must end before a separator or the end of the line")
          }
          return String(decoding: text, as: UTF8.self)
        }
      } else if byte == 0x0A || byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A) {
        line += 1
      }
      text.append(byte)
      offset += 1
    }
    throw Problem(line: first, reason: "a quoted field has no closing quote")
  }

  private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private mutating func skipLine() {
    while offset < bytes.count, !isLineEnd(bytes[offset]) { offset += 1 }
    skipLineEnd()
  }

  private mutating func skipLineEnd() {
    guard offset < bytes.count else { return }
    line += 1
    offset += bytes[offset] == 0x0D && offset + 1 < bytes.count && bytes[offset + 1] == 0x0A ? 2 : 1
  }
}
