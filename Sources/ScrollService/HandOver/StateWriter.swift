import ScrollModel

/// An encoder for connection states: little endian, with a 32-bit count before each list and text.
struct StateWriter {
  private(set) var bytes: [UInt8] = []

  /// Removes all bytes, and keeps their memory for reuse.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Bool) { append(value ? 1 as UInt8 : 0) }

  mutating func append(_ value: Double) { append(value.bitPattern) }

  mutating func append(_ session: SessionID) {
    append(session.high)
    append(session.low)
  }

  mutating func append(_ list: [UInt8]) {
    append(UInt32(list.count))
    bytes.append(contentsOf: list)
  }

  /// Appends bytes without a count.
  mutating func append(raw list: [UInt8]) { bytes.append(contentsOf: list) }

  mutating func append(_ text: String) {
    append(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append<Element>(_ list: [Element], _ each: (inout StateWriter, Element) -> Void) {
    append(UInt32(list.count))
    for element in list { each(&self, element) }
  }
}
