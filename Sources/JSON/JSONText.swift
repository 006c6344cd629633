import Platform

/// A string in a parsed text: UTF-8 with resolved escapes. It is valid as long as the values of its parser.
///
/// You can compare it with literals without creating a `String`, also in a `switch`:
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

  /// Returns whether a text has the bytes of a literal.
  @inlinable public static func == (text: JSONText, literal: StaticString) -> Bool {
    guard text.bytes.count == literal.utf8CodeUnitCount else { return false }
    guard let base = text.bytes.baseAddress else { return true }
    return Memory.isEqual(base, literal.utf8Start, count: text.bytes.count)
  }

  /// Matches a text against a literal in a `switch`.
  @inlinable public static func ~= (literal: StaticString, text: JSONText) -> Bool {
    text == literal
  }

  /// Returns whether the text has the bytes of `string`.
  public func equals(_ string: String) -> Bool {
    string.utf8.count == bytes.count && string.utf8.elementsEqual(bytes)
  }

  /// A copy of the text.
  public var string: String {
    String(decoding: bytes, as: UTF8.self)
  }
}
