// A view of one value inside a parsed JSON text.

import CSimdJSON

/// One value inside a parsed JSON text: a pointer into the parser's nodes, free to copy.
///
/// Valid only inside the closure that `JSONParser.parse` calls, and until that parser parses again.
public struct JSONValue {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  /// What the value is.
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

  /// Whether this is `null`.
  @inlinable public var isNull: Bool { node.pointee.kind == .null }
  /// Whether this is an object.
  @inlinable public var isObject: Bool { node.pointee.kind == .object }
  /// Whether this is an array.
  @inlinable public var isArray: Bool { node.pointee.kind == .array }
  /// Whether this is a string.
  @inlinable public var isString: Bool { node.pointee.kind == .string }

  /// `true` or `false`; nil for anything else.
  @inlinable public var asBool: Bool? {
    switch node.pointee.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The integer, unless it has a fraction or an exponent, even `3.0`, or is beyond 64 bits with a sign.
  @inlinable public var asInt64: Int64? {
    node.pointee.kind == .integer ? node.pointee.integer : nil
  }

  /// The integer from 0 to `UInt64.max`.
  @inlinable public var asUInt64: UInt64? {
    switch node.pointee.kind {
    case .integer: UInt64(exactly: node.pointee.integer)
    case .unsignedInteger: node.pointee.unsignedInteger
    default: nil
    }
  }

  /// Any number but those out of range; integers beyond 2^53 are rounded.
  @inlinable public var asDouble: Double? {
    switch node.pointee.kind {
    case .double: node.pointee.number
    case .integer: Double(node.pointee.integer)
    case .unsignedInteger: Double(node.pointee.unsignedInteger)
    default: nil
    }
  }

  /// The string, not copied; nil for anything else.
  @inlinable public var asText: JSONText? {
    isString ? JSONText(bytes: stringBytes) : nil
  }

  /// The string, copied; nil for anything else.
  public var asString: String? {
    asText?.string
  }

  /// The members of an object.
  @inlinable public var asObject: JSONObject? {
    isObject ? JSONObject(node: node) : nil
  }

  /// The elements of an array.
  @inlinable public var asArray: JSONArray? {
    isArray ? JSONArray(node: node) : nil
  }

  /// The object's member of that name; nil when there is none, or when this is no object.
  @inlinable public subscript(name: StaticString) -> JSONValue? {
    asObject?[name]
  }

  @inlinable var stringBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: node.pointee.string, count: Int(node.pointee.length))
  }

  /// The node behind this value.
  @inlinable var next: UnsafePointer<CSimdJSONNode> {
    isObject || isArray ? node + Int(node.pointee.span) : node + 1
  }
}
