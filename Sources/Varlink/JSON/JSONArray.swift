// The elements of an array inside a parsed JSON text.

import CSimdJSON

/// The elements of an array.
public struct JSONArray: Sequence {
  @usableFromInline let node: UnsafePointer<CSimdJSONNode>

  @inlinable init(node: UnsafePointer<CSimdJSONNode>) {
    self.node = node
  }

  public struct Iterator: IteratorProtocol {
    @usableFromInline var element: UnsafePointer<CSimdJSONNode>
    @usableFromInline let end: UnsafePointer<CSimdJSONNode>

    @inlinable init(_ array: UnsafePointer<CSimdJSONNode>) {
      element = array + 1
      end = array + Int(array.pointee.span)
    }

    @inlinable public mutating func next() -> JSONValue? {
      guard element != end else { return nil }
      let value = JSONValue(node: element)
      element = value.next
      return value
    }
  }

  /// How many elements there are.
  @inlinable public var count: Int { Int(node.pointee.length) }

  @inlinable public func makeIterator() -> Iterator { Iterator(node) }

  @inlinable public var underestimatedCount: Int { count }
}
