// A string inside a parsed JSON text.

import Platform

/// A string inside a parsed text: UTF-8, escapes resolved. Valid as long as the values of its parser.
///
/// It compares with literals without making a `String`, also in a `switch`:
///
///     switch member.name {
///     case "time": …
///     default: …
///     }
public struct JSONText {
  /// The UTF-8 of the string.
  public let bytes: UnsafeRawBufferPointer

  @inlinable init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether the text's bytes are those of the literal.
  @inlinable public static func == (text: JSONText, literal: StaticString) -> Bool {
    guard text.bytes.count == literal.utf8CodeUnitCount else { return false }
    guard let base = text.bytes.baseAddress else { return true }
    return Memory.isEqual(base, literal.utf8Start, count: text.bytes.count)
  }

  /// Lets literals stand as the cases of a `switch` over a text.
  @inlinable public static func ~= (literal: StaticString, text: JSONText) -> Bool {
    text == literal
  }

  /// Whether the text's bytes are those of `string`.
  public func equals(_ string: String) -> Bool {
    string.utf8.count == bytes.count && string.utf8.elementsEqual(bytes)
  }

  /// A copy of the text.
  public var string: String {
    String(decoding: bytes, as: UTF8.self)
  }
}
