/// A writer of one JSON text without spaces. It adds the commas; the caller alternates keys and values.
///
///     let bytes = JSONWriter.encode {
///       $0.beginObject()
///       $0.member("y", 12.5)
///       $0.endObject()
///     }
///     // {"y":12.5}
///
/// NaN and the infinities, which JSON lacks, become `null`. A NUL in a string, which many readers mishandle, becomes
/// U+FFFD, the replacement character. Control characters, characters that set the writing direction, and line and paragraph
/// separators are written as escapes, so that no string can control a terminal that shows the text.
public struct JSONWriter: ~Copyable {
  @usableFromInline var buffer: ByteBuffer
  /// Whether the next key or value follows another one on the same level.
  @usableFromInline var needsComma = false

  /// Creates a writer of an empty text.
  @inlinable public init() {
    buffer = ByteBuffer()
  }

  @inlinable init(appendingTo buffer: consuming ByteBuffer) {
    self.buffer = buffer
  }

  /// Returns the bytes of the text that `body` writes.
  @inlinable public static func encode<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) -> [UInt8] {
    var writer = JSONWriter()
    try body(&writer)
    return writer.bytes
  }

  /// A copy of the written bytes.
  public var bytes: [UInt8] { buffer.bytes }

  // MARK: Containers

  /// Begins an object.
  @inlinable public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  /// Ends the innermost object.
  @inlinable public mutating func endObject() { end(UInt8(ascii: "}")) }
  /// Begins an array.
  @inlinable public mutating func beginArray() { begin(UInt8(ascii: "[")) }
  /// Ends the innermost array.
  @inlinable public mutating func endArray() { end(UInt8(ascii: "]")) }

  @inlinable mutating func begin(_ bracket: UInt8) {
    separate()
    buffer.append(bracket)
    needsComma = false
  }

  @inlinable mutating func end(_ bracket: UInt8) {
    buffer.append(bracket)
    needsComma = true
  }

  /// Writes a comma if the next key or value needs one.
  @inlinable mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: Members

  /// Writes the name of a member, which must need no escapes. A value must follow.
  @inlinable public mutating func key(_ name: StaticString) {
    separate()
    let count = name.utf8CodeUnitCount
    buffer.appendUnsafe(minimumCapacity: count + 3) { room in
      let start = room.baseAddress.unsafelyUnwrapped
      start.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
      (start + 1).copyMemory(from: name.utf8Start, byteCount: count)
      start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1, as: UInt8.self)
      start.storeBytes(of: UInt8(ascii: ":"), toByteOffset: count + 2, as: UInt8.self)
      return count + 3
    }
    needsComma = false
  }

  /// Writes the name of a member. A value must follow.
  public mutating func key(string name: String) {
    string(name)
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the name of a member from UTF-8 bytes. A value must follow.
  public mutating func key(utf8 name: UnsafeRawBufferPointer) {
    string(utf8: name)
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a member, whose name must need no escapes.
  @inlinable public mutating func member<Value: JSONWritable>(_ name: StaticString, _ value: Value) {
    key(name)
    value.write(to: &self)
  }

  /// Writes a member, whose name must need no escapes; writes nothing when the value is nil.
  @inlinable public mutating func member<Value: JSONWritable>(_ name: StaticString, ifPresent value: Value?) {
    if let value { member(name, value) }
  }

  // MARK: Values

  /// Writes `null`.
  @inlinable public mutating func null() {
    separate()
    buffer.append("null")
  }

  /// Writes `true` or `false`.
  @inlinable public mutating func bool(_ value: Bool) {
    separate()
    buffer.append(value ? "true" : "false")
  }

  /// Writes an integer.
  public mutating func int(_ value: Int64) {
    separate()
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    digits(value.magnitude)
  }

  /// Writes an integer that may exceed `Int64.max`.
  public mutating func unsignedInt(_ value: UInt64) {
    separate()
    digits(value)
  }

  private mutating func digits(_ value: UInt64) {
    buffer.appendUnsafe(minimumCapacity: DecimalDigits.maximumCount) { room in
      DecimalDigits.write(value, to: room.baseAddress.unsafelyUnwrapped)
    }
  }

  /// Writes the shortest text that parses to the same number (`3` for 3.0), or `null` for a number that is not finite.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    buffer.appendUnsafe(minimumCapacity: DecimalDigits.maximumCountOfDouble) { room in
      DecimalDigits.write(value, to: room.baseAddress.unsafelyUnwrapped)
    }
  }

  /// Writes a string.
  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string from UTF-8 bytes.
  public mutating func string(utf8 bytes: UnsafeRawBufferPointer) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    var plain = 0
    for index in bytes.indices {
      let byte = bytes[index]
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      let unsafe = byte < 0x7F ? nil : Self.unsafeCharacter(UnsafeRawBufferPointer(rebasing: bytes[index...]))
      if byte >= 0x7F, unsafe == nil { continue }
      buffer.append(UnsafeRawBufferPointer(rebasing: bytes[plain..<index]))
      if let unsafe { escape(unsafe.code) } else { escape(byte) }
      plain = index + (unsafe?.length ?? 1)
    }
    buffer.append(UnsafeRawBufferPointer(rebasing: bytes[plain...]))
    buffer.append(UInt8(ascii: "\""))
  }

  /// Returns the character at the start of UTF-8 bytes, if it is not ASCII, or DEL, and could control a terminal.
  private static func unsafeCharacter(_ bytes: UnsafeRawBufferPointer) -> (code: UInt16, length: Int)? {
    let lead = bytes[0]
    if lead == 0x7F { return (0x7F, 1) }
    // The rest of such a character; other characters and broken ones stay as they are.
    guard lead == 0xC2 || lead == 0xD8 || lead == 0xE2, bytes.count > 1 else { return nil }
    if lead == 0xC2 { return bytes[1] < 0xA0 ? (UInt16(bytes[1]), 2) : nil }
    if lead == 0xD8 { return bytes[1] == 0x9C ? (0x061C, 2) : nil }
    guard bytes.count > 2 else { return nil }
    let code = 0x2000 | UInt16(bytes[1] & 0x3F) << 6 | UInt16(bytes[2] & 0x3F)
    switch code {
    case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return (code, 3)
    default: return nil
    }
  }

  private mutating func escape(_ code: UInt16) {
    buffer.append("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] { hexadecimal(UInt8(code >> shift & 0x0F)) }
  }

  private mutating func hexadecimal(_ digit: UInt8) {
    buffer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0: buffer.append("\u{FFFD}")
    case UInt8(ascii: "\""): buffer.append("\\\"")
    case UInt8(ascii: "\\"): buffer.append("\\\\")
    case UInt8(ascii: "\n"): buffer.append("\\n")
    case UInt8(ascii: "\r"): buffer.append("\\r")
    case UInt8(ascii: "\t"): buffer.append("\\t")
    default: escape(UInt16(byte))
    }
  }

  /// Writes members or values whose text `body` writes itself, without a comma before the first.
  ///
  /// - Parameters:
  ///   - maximumCount: How many bytes there is room for.
  ///   - body: Writes the text to the start of the memory, and returns its end.
  @inlinable @inline(__always)
  public mutating func text(
    maximumCount: Int, _ body: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer
  ) {
    separate()
    buffer.appendUnsafe(minimumCapacity: maximumCount) { room in
      let start = room.baseAddress.unsafelyUnwrapped
      return body(start) - start
    }
  }

  /// Writes a value that is already encoded as JSON.
  @inlinable public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    buffer.append(json)
  }

  /// Writes a value that is already encoded as JSON.
  public mutating func raw(_ json: [UInt8]) {
    json.withUnsafeBytes { raw($0) }
  }
}
