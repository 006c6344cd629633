// Reads JSON texts, one after the other, with the same memory.

import CSimdJSON

/// Reads JSON texts. One parser is used again and again: once it is warm it allocates nothing.
///
/// A text is checked to its last byte: grammar, numbers, UTF-8, escapes, nesting, and that no member is given twice.
///
///     let parser = JSONParser()
///     let y = try parser.parse(Array(#"{"y": 12.5}"#.utf8)) { $0["y"]?.asDouble }
public final class JSONParser {
  /// How deep objects and arrays may be nested.
  public static var maximumDepth: Int { Int(CSIMDJSON_MAXIMUM_DEPTH) }

  /// The longest text, in bytes.
  public static var maximumLength: Int { Int(CSIMDJSON_MAXIMUM_LENGTH) }

  private let parser: OpaquePointer
  /// Where texts without slack are copied to.
  private var copy = ByteBuffer()

  /// A parser that is cold: it allocates with the first text.
  public init() {
    guard let parser = csimdjson_parser_create() else {
      // Without memory nothing can be kept or said; ending is what Swift itself does then.
      fatalError("out of memory: no JSON parser")
    }
    self.parser = parser
  }

  deinit {
    csimdjson_parser_destroy(parser)
  }

  /// Reads one text behind which `ByteBuffer.slack` bytes can be read, and calls `body` with its value.
  ///
  /// The value, and whatever comes out of it, is valid until `body` returns; `body` must not use this parser.
  ///
  /// - Throws: `JSONError`, or what `body` throws.
  public func parse<R>(padded text: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> R) throws -> R {
    try body(value(padded: text))
  }

  /// Reads one text, which is copied first, and calls `body` with its value. Otherwise as `parse(padded:_:)`.
  public func parse<R>(_ text: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> R) throws -> R {
    copy.removeAll()
    copy.append(text)
    // The parser keeps strings of its own, so the copy is needed no longer than this.
    let root = try copy.withUnsafeReadableBytes { (padded) throws(JSONError) -> JSONValue in
      try value(padded: padded)
    }
    return try body(root)
  }

  /// Reads one text, which is copied first, and calls `body` with its value. Otherwise as `parse(padded:_:)`.
  public func parse<R>(_ text: [UInt8], _ body: (JSONValue) throws -> R) throws -> R {
    try text.withUnsafeBytes { try parse($0, body) }
  }

  /// Reads one text behind which `ByteBuffer.slack` bytes can be read.
  ///
  /// - Returns: Its value, which is valid until the parser is used again.
  /// - Throws: `JSONError`.
  public func value(padded text: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    guard let base = text.baseAddress, text.count > 0 else { throw JSONError(.empty) }
    let result = csimdjson_parse(parser, base.assumingMemoryBound(to: UInt8.self), text.count)
    if let error = JSONError(result) { throw error }
    return JSONValue(node: result.nodes)
  }
}

extension JSONError {
  /// The error that a result stands for; nil when it is none.
  fileprivate init?(_ result: CSimdJSONResult) {
    let reason: Reason
    switch result.error {
    case .none: return nil
    case .empty: reason = .empty
    case .syntax: reason = .syntax
    case .invalidUTF8: reason = .invalidUTF8
    case .invalidString: reason = .invalidString
    case .invalidNumber: reason = .invalidNumber
    case .tooDeep: reason = .tooDeep
    case .duplicateMember: reason = .duplicateMember
    case .trailingContent: reason = .trailingContent
    case .tooLong: reason = .tooLong
    case .noMemory: reason = .outOfMemory
    case .unterminated: reason = .unterminated
    }
    let member = UnsafeBufferPointer(start: result.member, count: result.memberLength)
    self.init(
      reason,
      offset: result.offset < 0 ? nil : Int(result.offset),
      member: result.member == nil ? nil : String(decoding: member, as: UTF8.self))
  }
}
