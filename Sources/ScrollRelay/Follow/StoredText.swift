import JSON
import ScrollModel

/// The form in which texts and numbers of records are stored in PostgreSQL, which takes neither a NUL in a text nor, in `jsonb`,
/// keeps a number as it was written.
///
/// A NUL becomes `\0`, and a backslash `\\`. In a `body`, a number that needs an exponent is a string.
enum StoredText {
  private static let backslash = UInt8(ascii: "\\")

  /// Returns the form of a text in the database.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0 || $0 == backslash }) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0: bytes += [backslash, UInt8(ascii: "0")]
      case backslash: bytes += [backslash, backslash]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text that ``escaped(_:)`` made another one of.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(backslash) else { return text }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        bytes.append(byte == UInt8(ascii: "0") ? 0 : byte)
        isEscaped = false
      } else if byte == backslash {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a value of a record into a body.
  static func write(_ value: JSONValue, to writer: inout JSONWriter) {
    switch value.kind {
    case .string: writer.string(escaped(value.asString ?? ""))
    case .double:
      let text = JSONWriter.encode { $0.double(value.asDouble ?? 0) }
      if text.contains(UInt8(ascii: "e")) { writer.string(utf8: text) } else { writer.raw(text) }
    case .object:
      writer.beginObject()
      for member in value.asObject.map(Array.init) ?? [] {
        writer.key(utf8: member.name.bytes)
        write(member.value, to: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for element in value.asArray.map(Array.init) ?? [] { write(element, to: &writer) }
      writer.endArray()
    default: value.write(to: &writer)
    }
  }

  /// Writes a value of a body as the record had it.
  ///
  /// - Parameter isNumber: Whether the record has a number there.
  static func restore(_ value: JSONValue, isNumber: Bool, to writer: inout JSONWriter) {
    switch value.kind {
    case .string:
      let text = value.asString ?? ""
      if isNumber { writer.raw(Array(text.utf8)) } else { writer.string(unescaped(text)) }
    case .object:
      writer.beginObject()
      for member in value.asObject.map(Array.init) ?? [] {
        writer.key(utf8: member.name.bytes)
        restore(member.value, isNumber: false, to: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for element in value.asArray.map(Array.init) ?? [] { restore(element, isNumber: false, to: &writer) }
      writer.endArray()
    default: value.write(to: &writer)
    }
  }
}

extension JSONWriter {
  mutating func string(utf8 bytes: [UInt8]) { bytes.withUnsafeBytes { string(utf8: $0) } }
}
