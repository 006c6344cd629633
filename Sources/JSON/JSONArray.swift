import CSimdJSON

/// The elements of an array in a parsed text.
public struct JSONArray: Sequence {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  /// An iterator over the elements, in the order of the text.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var element: UnsafePointer<CSimdJSONNode>
    @usableFromInline let end: UnsafePointer<CSimdJSONNode>

    @inlinable init(_ array: UnsafePointer<CSimdJSONNode>) {
      element = array + 1
      end = array + Int(array.pointee.span)
    }

    /// Returns the next element; nil at the end.
    @inlinable public mutating func next() -> JSONValue? {
      guard element != end else { return nil }
      let value = JSONValue(node: element)
      element = value.next
      return value
    }
  }

  /// The number of elements.
  @inlinable public var count: Int { Int(node.pointee.length) }

  /// Returns an iterator that begins at the first element.
  @inlinable public func makeIterator() -> Iterator { Iterator(node) }

  /// The exact number of elements.
  @inlinable public var underestimatedCount: Int { count }
}
