import JSON
import ScrollModel

/// The keys of an event's fields as they are in its text, each with the comma before it and the colon after it.
struct EventKeys: Sendable {
  static let shared = EventKeys()

  /// How many bytes the members of an event take at most.
  static let maximumTextCount = 128 + Event.Field.allCases.count * (width + DecimalDigits.maximumCountOfDouble)

  /// How many bytes each key has in the table. All of them are copied, which is faster than to copy as many as there are.
  private static let width = 24

  private typealias Row = (UInt64, UInt64, UInt64)
  private let rows: [(text: Row, count: Int)]

  private init() {
    rows = Event.Field.allCases.map { field in
      var text: Row = (0, 0, 0)
      let key = Array(",\"\(field.name)\":".utf8)
      precondition(key.count <= Self.width, "the name of the field \(field.name) is too long for the table of keys")
      withUnsafeMutableBytes(of: &text) { $0.copyBytes(from: key) }
      return (text, key.count)
    }
  }

  /// Writes a field's key. There must be room for a key of any length.
  @inline(__always)
  func write(_ field: Event.Field, to end: inout UnsafeMutableRawPointer) {
    let row = rows[Int(field.rawValue)]
    end.storeBytes(of: row.text.0, as: UInt64.self)
    end.storeBytes(of: row.text.1, toByteOffset: 8, as: UInt64.self)
    end.storeBytes(of: row.text.2, toByteOffset: 16, as: UInt64.self)
    end += row.count
  }

  /// Writes a literal.
  @inline(__always)
  static func write(_ text: StaticString, to end: inout UnsafeMutableRawPointer) {
    end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }
}
