import CSimdJSON

/// A parser of JSON texts. Reuse it: after the first texts it allocates no more memory.
///
/// It validates the whole text: grammar, numbers, UTF-8, escapes, nesting, numbers of members and elements, and duplicate
/// members. That takes time linear in the length of the text.
///
///     let parser = JSONParser()
///     let y = try parser.parse(Array(#"{"y": 12.5}"#.utf8)) { $0["y"]?.asDouble }
public final class JSONParser {
  /// The maximum nesting depth of objects and arrays.
  public static var maximumDepth: Int { Int(CSIMDJSON_MAXIMUM_DEPTH) }

  /// The maximum number of members of an object.
  public static var maximumMembers: Int { Int(CSIMDJSON_MAXIMUM_MEMBERS) }

  /// The maximum length of a member's name, in bytes.
  public static var maximumNameLength: Int { Int(CSIMDJSON_MAXIMUM_NAME) }

  /// The maximum number of elements of an array.
  public static var maximumElements: Int { Int(CSIMDJSON_MAXIMUM_ELEMENTS) }

  /// The maximum number of values and keys of a text of more than 64 KiB. Commas, colons and brackets in strings count, too.
  public static var maximumValues: Int { Int(CSIMDJSON_MAXIMUM_VALUES) }

  /// The maximum length of a text, in bytes.
  public static var maximumLength: Int { Int(CSIMDJSON_MAXIMUM_LENGTH) }

  private let parser: OpaquePointer
  /// The copy of a text that has no slack after it.
  private var copy = ByteBuffer()

  /// Creates a parser. It allocates its memory for the first text.
  public init() {
    guard let parser = csimdjson_parser_create() else {
      // Swift's own allocations also end the process when memory runs out.
      fatalError("out of memory: cannot allocate a JSON parser")
    }
    self.parser = parser
  }

  deinit {
    csimdjson_parser_destroy(parser)
  }

  /// Parses a text that `ByteBuffer.slack` readable bytes follow, and calls `body` with its value.
  ///
  /// The value and everything taken from it are valid until `body` returns. `body` must not use this parser.
  ///
  /// - Throws: `JSONError`, or the error of `body`.
  public func parse<R>(padded text: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> R) throws -> R {
    try body(value(padded: text))
  }

  /// Parses a copy of a text, and calls `body` with its value, like `parse(padded:_:)`.
  public func parse<R>(_ text: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> R) throws -> R {
    copy.removeAll()
    copy.append(text)
    // The parser has its own copies of the strings, so the values stay valid when the text changes.
    let root = try copy.withUnsafeReadableBytes { (padded) throws(JSONError) -> JSONValue in
      try value(padded: padded)
    }
    return try body(root)
  }

  /// Parses a copy of a text, and calls `body` with its value, like `parse(padded:_:)`.
  public func parse<R>(_ text: [UInt8], _ body: (JSONValue) throws -> R) throws -> R {
    try text.withUnsafeBytes { try parse($0, body) }
  }

  /// Parses a text that `ByteBuffer.slack` readable bytes follow.
  ///
  /// - Returns: The value, which is valid until the parser is used again.
  /// - Throws: `JSONError`.
  public func value(padded text: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    guard let base = text.baseAddress, text.count > 0 else { throw JSONError(.empty) }
    let result = csimdjson_parse(parser, base.assumingMemoryBound(to: UInt8.self), text.count)
    if let error = JSONError(result) { throw error }
    return JSONValue(node: result.nodes)
  }
}

extension JSONError {
  /// Creates the error of a result; nil when the result is not an error.
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
    case .tooManyMembers: reason = .tooManyMembers
    case .tooManyElements: reason = .tooManyElements
    case .tooManyValues: reason = .tooManyValues
    case .nameTooLong: reason = .nameTooLong
    }
    let member = UnsafeBufferPointer(start: result.member, count: result.memberLength)
    self.init(
      reason,
      offset: result.offset < 0 ? nil : Int(result.offset),
      member: result.member == nil ? nil : String(decoding: member, as: UTF8.self))
  }
}
