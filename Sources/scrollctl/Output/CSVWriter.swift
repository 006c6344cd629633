import JSON
import Platform
import ScrollModel

/// A writer of comma-separated values as in RFC 4180: CRLF after each row, and quotes around texts that need them. A value that
/// is missing is an empty field.
struct CSVWriter {
  /// Whether somebody sees the text on a terminal, so that characters that could control it are escaped. Programs get every
  /// text as it is.
  private let isForTerminal: Bool

  private var needsComma = false

  /// The bytes so far.
  private(set) var buffer: [UInt8] = []

  init(isForTerminal: Bool = false) { self.isForTerminal = isForTerminal }

  /// Writes a text.
  mutating func text(_ text: String) {
    separate()
    var text = isForTerminal ? harmless(text) : text
    text.withUTF8 { bytes in
      let needsQuotes = bytes.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x2C }
      guard needsQuotes else {
        buffer.append(contentsOf: bytes)
        return
      }
      buffer.append(0x22)
      for byte in bytes {
        if byte == 0x22 { buffer.append(0x22) }
        buffer.append(byte)
      }
      buffer.append(0x22)
    }
  }

  /// Writes a text without a comma, quote or line break.
  mutating func plain(_ text: StaticString) {
    text.withUTF8Buffer { plain(UnsafeRawBufferPointer($0)) }
  }

  /// Writes the UTF-8 of a text without a comma, quote or line break.
  mutating func plain(_ text: UnsafeRawBufferPointer) {
    separate()
    buffer.append(contentsOf: text)
  }

  /// Writes an integer.
  mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { room in
      var rest = value.magnitude
      var start = room.count
      repeat {
        start -= 1
        room[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      buffer.append(contentsOf: room[start...])
    }
  }

  /// Writes a finite number, in the shortest form that reads back as the same one.
  mutating func number(_ value: Double) {
    if value == value.rounded(), value.magnitude < 1e15 {
      integer(Int64(value))
    } else {
      separate()
      buffer.append(contentsOf: value.description.utf8)
    }
  }

  /// Writes a missing value.
  mutating func missing() { separate() }

  /// Ends the row.
  mutating func endRow() {
    buffer.append(0x0D)
    buffer.append(0x0A)
    needsComma = false
  }

  /// Takes the bytes away.
  mutating func removeAll() { buffer.removeAll(keepingCapacity: true) }

  private mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

extension CSVWriter {
  mutating func text(ifPresent value: String?) { if let value { text(value) } else { missing() } }
  mutating func integer(ifPresent value: Int64?) { if let value { integer(value) } else { missing() } }
}
