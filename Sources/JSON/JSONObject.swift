// The members of an object inside a parsed JSON text.

import CSimdJSON

/// The members of an object, in the order of the text. No name comes twice.
public struct JSONObject: Sequence {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  /// A name and its value.
  public struct Member {
    /// The member's name.
    public let name: JSONText
    /// The member's value.
    public let value: JSONValue

    @inlinable init(name: JSONText, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Walks the members in the order of the text.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var key: UnsafePointer<CSimdJSONNode>
    @usableFromInline let end: UnsafePointer<CSimdJSONNode>

    @inlinable init(_ object: UnsafePointer<CSimdJSONNode>) {
      key = object + 1
      end = object + Int(object.pointee.span)
    }

    /// The next member; nil at the end.
    @inlinable public mutating func next() -> Member? {
      guard key != end else { return nil }
      let value = JSONValue(node: key + 1)
      let member = Member(name: JSONText(bytes: JSONValue(node: key).stringBytes), value: value)
      key = value.next
      return member
    }
  }

  /// The object as a value.
  @inlinable public var value: JSONValue { JSONValue(node: node) }

  /// How many members there are.
  @inlinable public var count: Int { Int(node.pointee.length) }

  /// Begins at the first member.
  @inlinable public func makeIterator() -> Iterator { Iterator(node) }

  /// The exact number of members.
  @inlinable public var underestimatedCount: Int { count }

  /// The member of that name; looks at one after the other.
  @inlinable public subscript(name: StaticString) -> JSONValue? {
    for member in self where member.name == name { return member.value }
    return nil
  }
}
