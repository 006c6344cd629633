/// A type that a `JSONWriter` can write as one JSON value.
public protocol JSONWritable {
  /// Writes the value.
  func write(to writer: inout JSONWriter)
}

extension Bool: JSONWritable {
  /// Writes `true` or `false`.
  @inlinable public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONWritable {
  /// Writes the integer.
  @inlinable public func write(to writer: inout JSONWriter) { writer.int(Int64(self)) }
}

extension Int64: JSONWritable {
  /// Writes the integer.
  @inlinable public func write(to writer: inout JSONWriter) { writer.int(self) }
}

extension UInt32: JSONWritable {
  /// Writes the integer.
  @inlinable public func write(to writer: inout JSONWriter) { writer.int(Int64(self)) }
}

extension UInt64: JSONWritable {
  /// Writes the integer.
  @inlinable public func write(to writer: inout JSONWriter) { writer.unsignedInt(self) }
}

extension Double: JSONWritable {
  /// Writes the number, or `null` if it is not finite.
  @inlinable public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension String: JSONWritable {
  /// Writes the string.
  @inlinable public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension JSONText: JSONWritable {
  /// Writes the string.
  @inlinable public func write(to writer: inout JSONWriter) { writer.string(utf8: bytes) }
}

extension JSONValue: JSONWritable {
  /// Writes the value without spaces. A number out of range becomes `null`, since its digits are not kept.
  public func write(to writer: inout JSONWriter) {
    switch node.pointee.kind {
    case .null, .numberOutOfRange: writer.null()
    case .false: writer.bool(false)
    case .true: writer.bool(true)
    case .integer: writer.int(node.pointee.integer)
    case .unsignedInteger: writer.unsignedInt(node.pointee.unsignedInteger)
    case .double: writer.double(node.pointee.number)
    case .string, .key: writer.string(utf8: stringBytes)
    case .object:
      writer.beginObject()
      for member in JSONObject(node: node) {
        writer.key(utf8: member.name.bytes)
        member.value.write(to: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for element in JSONArray(node: node) { element.write(to: &writer) }
      writer.endArray()
    }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// Writes an array of the elements.
  @inlinable public func write(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.write(to: &writer) }
    writer.endArray()
  }
}
