import CSimdJSON

/// A value in a parsed JSON text: a pointer into the parser's nodes, which is cheap to copy.
///
/// It is valid only in the closure that `JSONParser.parse` calls, or until the parser is used again.
public struct JSONValue {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  /// The kind of the value.
  public var kind: JSONKind {
    switch node.pointee.kind {
    case .null: .null
    case .false, .true: .bool
    case .integer: .integer
    case .unsignedInteger: .unsignedInteger
    case .double: .double
    case .numberOutOfRange: .numberOutOfRange
    case .string, .key: .string
    case .object: .object
    case .array: .array
    }
  }

  /// Whether the value is `null`.
  @inlinable public var isNull: Bool { node.pointee.kind == .null }
  /// Whether the value is an object.
  @inlinable public var isObject: Bool { node.pointee.kind == .object }
  /// Whether the value is an array.
  @inlinable public var isArray: Bool { node.pointee.kind == .array }
  /// Whether the value is a string.
  @inlinable public var isString: Bool { node.pointee.kind == .string }

  /// The Boolean; nil for any other value.
  @inlinable public var asBool: Bool? {
    switch node.pointee.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The integer; nil for any other value, including `3.0`, and outside the range of `Int64`.
  @inlinable public var asInt64: Int64? {
    node.pointee.kind == .integer ? node.pointee.integer : nil
  }

  /// The integer from 0 to `UInt64.max`; nil for any other value.
  @inlinable public var asUInt64: UInt64? {
    switch node.pointee.kind {
    case .integer: UInt64(exactly: node.pointee.integer)
    case .unsignedInteger: node.pointee.unsignedInteger
    default: nil
    }
  }

  /// The number, rounded if it is an integer above 2^53; nil for any other value, and for a number out of range.
  @inlinable public var asDouble: Double? {
    switch node.pointee.kind {
    case .double: node.pointee.number
    case .integer: Double(node.pointee.integer)
    case .unsignedInteger: Double(node.pointee.unsignedInteger)
    default: nil
    }
  }

  /// The string, without a copy; nil for any other value.
  @inlinable public var asText: JSONText? {
    isString ? JSONText(bytes: stringBytes) : nil
  }

  /// A copy of the string; nil for any other value.
  public var asString: String? {
    asText?.string
  }

  /// The members of the object; nil for any other value.
  @inlinable public var asObject: JSONObject? {
    isObject ? JSONObject(node: node) : nil
  }

  /// The elements of the array; nil for any other value.
  @inlinable public var asArray: JSONArray? {
    isArray ? JSONArray(node: node) : nil
  }

  /// The value of the object's member with a name; nil when the member is missing or the value is not an object.
  @inlinable public subscript(name: StaticString) -> JSONValue? {
    asObject?[name]
  }

  @inlinable var stringBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: node.pointee.string, count: Int(node.pointee.length))
  }

  /// The node that follows the value.
  @inlinable var next: UnsafePointer<CSimdJSONNode> {
    isObject || isArray ? node + Int(node.pointee.span) : node + 1
  }
}
