import ScrollModel

/// A little-endian cursor over bytes whose checksum is right, but whose content is checked all the same.
struct ByteReader {
  let bytes: Bytes
  let end: Int
  private(set) var offset: Int
  /// The policy that was read last, since most openings have the same one, and each of its parameters is parsed.
  private var policy: (start: Int, end: Int, value: Policy)?

  init(_ bytes: Bytes, from offset: Int, to end: Int) {
    precondition(offset >= 0 && offset <= end && end <= bytes.capacity)
    self.bytes = bytes
    self.offset = offset
    self.end = end
  }

  var isAtEnd: Bool { offset == end }

  /// Reads a policy, or returns the one that was read last if its bytes follow.
  mutating func policy(
    _ read: (inout ByteReader) throws(ContentError) -> Policy
  ) throws(ContentError) -> Policy {
    if let policy, policy.end - policy.start <= end - offset,
      Bytes.equal(bytes, policy.start, bytes, offset, policy.end - policy.start)
    {
      offset += policy.end - policy.start
      return policy.value
    }
    let start = offset
    let value = try read(&self)
    policy = (start, offset, value)
    return value
  }

  /// Skips bytes and returns a pointer to them, which is valid as long as ``bytes``.
  @inline(__always)
  mutating func take(_ count: Int) throws(ContentError) -> UnsafeRawPointer {
    guard count >= 0, count <= end - offset else { throw .endsEarly }
    let start = UnsafeRawPointer(bytes.base + offset)
    offset += count
    return start
  }

  @inline(__always)
  mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(ContentError) -> T {
    defer { withExtendedLifetime(bytes) {} }
    return T(littleEndian: try take(MemoryLayout<T>.size).loadUnaligned(as: T.self))
  }

  /// Reads a number of 1 to 10 bytes, seven bits each, the lowest first; all but the last have their highest bit set.
  mutating func varint() throws(ContentError) -> UInt64 {
    defer { withExtendedLifetime(bytes) {} }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = bytes.base.load(fromByteOffset: offset, as: UInt8.self)
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        // Only the lowest bit of the tenth byte fits into 64 bits.
        guard shift < 63 || byte <= 1 else { throw .badValue(field: "number's length", value: UInt64(byte)) }
        return value
      }
      shift += 7
      guard shift <= 63 else { throw .badValue(field: "number's length", value: shift / 7 + 1) }
    }
    throw .endsEarly
  }

  /// Reads a signed number: 0, -1, 1, -2, 2 … are stored as the variable numbers 0, 1, 2, 3, 4 …
  mutating func zigzag() throws(ContentError) -> Int64 { Int64(zigzag: try varint()) }

  mutating func double() throws(ContentError) -> Double { Double(bitPattern: try read()) }

  /// Reads a byte that must be 0 or 1.
  mutating func bool(_ field: String) throws(ContentError) -> Bool {
    let value: UInt8 = try read()
    guard value <= 1 else { throw .badValue(field: field, value: UInt64(value)) }
    return value == 1
  }

  /// Reads a byte that must be the raw value of a case.
  mutating func choice<T: RawRepresentable>(_ field: String) throws(ContentError) -> T where T.RawValue == UInt8 {
    let value: UInt8 = try read()
    guard let choice = T(rawValue: value) else { throw .badValue(field: field, value: UInt64(value)) }
    return choice
  }

  /// Reads a number that must be 0 or more.
  mutating func natural(_ field: String) throws(ContentError) -> Int64 {
    let value: Int64 = try read()
    guard value >= 0 else { throw .badValue(field: field, value: UInt64(bitPattern: value)) }
    return value
  }

  /// Reads a number that must be 1 or more, and far enough from overflow to count on from it.
  mutating func ordinal(_ field: String) throws(ContentError) -> Int64 {
    let value: Int64 = try read()
    guard value >= 1, value <= Int64.max / 2 else { throw .badValue(field: field, value: UInt64(bitPattern: value)) }
    return value
  }

  mutating func session() throws(ContentError) -> SessionID {
    let high: UInt64 = try read()
    let low: UInt64 = try read()
    return SessionID(high: high.byteSwapped, low: low.byteSwapped)
  }

  mutating func text(_ field: String) throws(ContentError) -> String {
    let count = Int(try read(UInt32.self))
    defer { withExtendedLifetime(bytes) {} }
    let utf8 = UnsafeRawBufferPointer(start: try take(count), count: count)
    // A validation takes several times as long, and most texts need none.
    if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw .notUTF8(field: field) }
    return text
  }
}

extension Int64 {
  /// The number at a place in 0, -1, 1, -2, 2 …
  init(zigzag place: UInt64) { self = Int64(bitPattern: place >> 1) ^ -Int64(bitPattern: place & 1) }

  /// The number's place in 0, -1, 1, -2, 2 …
  var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }
}
