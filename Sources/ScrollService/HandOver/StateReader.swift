import ScrollModel

/// A decoder for the values that ``StateWriter`` encodes, which reads nothing beyond the bytes, however malformed they
/// are.
struct StateReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// - Parameter bytes: They must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Checks that no bytes are left.
  func finish() throws(HandOverError) {
    if offset != bytes.count { throw .hasTrailingBytes }
  }

  private mutating func take(_ count: Int) throws(HandOverError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - offset else { throw .endsEarly }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type = Value.self
  ) throws(HandOverError) -> Value {
    Value(littleEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
  }

  mutating func bool(_ what: String) throws(HandOverError) -> Bool {
    let value: UInt8 = try integer()
    guard value <= 1 else { throw .badValue(what) }
    return value == 1
  }

  mutating func double() throws(HandOverError) -> Double { Double(bitPattern: try integer()) }

  /// Reads a number that must not be negative.
  mutating func natural(_ what: String) throws(HandOverError) -> Int64 {
    let value: Int64 = try integer()
    guard value >= 0 else { throw .badValue(what) }
    return value
  }

  mutating func session() throws(HandOverError) -> SessionID {
    let high: UInt64 = try integer()
    return SessionID(high: high, low: try integer())
  }

  mutating func list() throws(HandOverError) -> [UInt8] { Array(try take(Int(try integer(UInt32.self)))) }

  mutating func text(_ what: String) throws(HandOverError) -> String {
    let utf8 = try take(Int(try integer(UInt32.self)))
    guard let text = String(validating: utf8, as: UTF8.self) else { throw .badValue(what) }
    return text
  }

  mutating func list<Element>(
    _ each: (inout StateReader) throws(HandOverError) -> Element
  ) throws(HandOverError) -> [Element] {
    let count: UInt32 = try integer()
    var list: [Element] = []
    for _ in 0..<count { list.append(try each(&self)) }
    return list
  }
}
