import CSimdJSON

/// The members of an object in a parsed text. Each name is unique.
public struct JSONObject: Sequence {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  /// A member: a name and a value.
  public struct Member {
    /// The name of the member.
    public let name: JSONText
    /// The value of the member.
    public let value: JSONValue

    @inlinable init(name: JSONText, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An iterator over the members, in the order of the text.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var key: UnsafePointer<CSimdJSONNode>
    @usableFromInline let end: UnsafePointer<CSimdJSONNode>

    @inlinable init(_ object: UnsafePointer<CSimdJSONNode>) {
      key = object + 1
      end = object + Int(object.pointee.span)
    }

    /// Returns the next member; nil at the end.
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

  /// The number of members.
  @inlinable public var count: Int { Int(node.pointee.length) }

  /// Returns an iterator that begins at the first member.
  @inlinable public func makeIterator() -> Iterator { Iterator(node) }

  /// The exact number of members.
  @inlinable public var underestimatedCount: Int { count }

  /// The value of the member with a name, in time linear in the number of members.
  @inlinable public subscript(name: StaticString) -> JSONValue? {
    for member in self where member.name == name { return member.value }
    return nil
  }
}
