import Platform

/// A place in a JSON text of the plain kind that programs write: ASCII without escapes, and short numbers.
///
/// It reads such a text in a fraction of the time that ``JSONParser`` takes. Each function passes over what it reads. One that
/// finds something else returns `nil` or `false`, also for JSON that is only unusual: the text then has to be parsed.
public struct PlainScanner {
  @usableFromInline var next: UnsafeRawPointer
  @usableFromInline let end: UnsafeRawPointer

  /// Creates a scanner at the beginning of a text, which has to stay where it is. Returns `nil` for an empty one.
  @inlinable
  public init?(_ text: UnsafeRawBufferPointer) {
    guard let base = text.baseAddress else { return nil }
    next = base
    end = base + text.count
  }

  /// The address of the next byte.
  @inlinable public var address: UnsafeRawPointer { next }

  /// Whether the whole text was read.
  @inlinable public var isAtEnd: Bool { next == end }

  /// The next byte; 0, which no JSON has, at the end.
  @inlinable public var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

  /// Passes over a literal, if it is next.
  @inlinable @inline(__always)
  public mutating func skip(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard end - next >= count, byte == literal.utf8Start.pointee,
      Memory.isEqual(next, literal.utf8Start, count: count)
    else { return false }
    next += count
    return true
  }

  /// Passes over spaces, if there are any.
  @inlinable
  public mutating func skipSpaces() {
    while byte == UInt8(ascii: " ") { next += 1 }
  }

  /// Reads a text in ASCII without escapes. It is valid as long as the scanned one.
  @inlinable
  public mutating func text() -> JSONText? {
    guard byte == UInt8(ascii: "\"") else { return nil }
    next += 1
    let start = next
    while end - next >= 8 {
      let special = Self.special(next.loadUnaligned(as: UInt64.self).littleEndian)
      if special != 0 {
        next += special.trailingZeroBitCount / 8
        break
      }
      next += 8
    }
    while true {
      let byte = byte
      if byte == UInt8(ascii: "\"") { break }
      guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
      next += 1
    }
    defer { next += 1 }
    return JSONText(bytes: UnsafeRawBufferPointer(start: start, count: next - start))
  }

  /// Returns a word whose lowest bit that is set is in the first of eight bytes that ends a text or is unusual in one; 0 if there
  /// is none.
  @inlinable @inline(__always)
  static func special(_ bytes: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones << 7
    // The highest bit of the first byte that is 0, and perhaps bits above it.
    @inline(__always)
    func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
    let controls = (bytes &- ones &* 0x20) & ~bytes
    let quotes = zeros(bytes ^ ones &* UInt64(UInt8(ascii: "\"")))
    let escapes = zeros(bytes ^ ones &* UInt64(UInt8(ascii: "\\")))
    let deletes = zeros(bytes ^ ones &* 0x7F)
    return (bytes | controls | quotes | escapes | deletes) & highBits
  }

  /// Reads a whole number that is not negative and has at most 18 digits.
  @inlinable
  public mutating func natural() -> Int64? {
    let start = next
    let value = digits()
    let count = next - start
    guard (1...18).contains(count), count == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0") else { return nil }
    return Int64(value)
  }

  /// Reads a number without an exponent that has so few digits that one division finds the nearest double.
  @inlinable
  public mutating func number() -> Double? {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { next += 1 }
    let start = next
    var value = digits()
    var count = next - start
    guard count == 1 || count > 1 && start.load(as: UInt8.self) != UInt8(ascii: "0") else { return nil }
    var divisor = 1.0
    if byte == UInt8(ascii: ".") {
      next += 1
      let fraction = next
      value = digits(after: value)
      guard next > fraction else { return nil }
      count += next - fraction
      // Exact up to 10^22, far more than there can be digits.
      if count <= 18 { for _ in 0..<(next - fraction) { divisor *= 10 } }
    } else if isNegative, value == 0 {
      // Whether an integer has a sign of zero is the parser's question.
      return nil
    }
    guard count <= 18, value <= 1 << 53, byte | 0x20 != UInt8(ascii: "e") else { return nil }
    let number = Double(value) / divisor
    return isNegative ? -number : number
  }

  /// Passes over a number in any form of JSON.
  @inlinable
  public mutating func skipNumber() -> Bool {
    if byte == UInt8(ascii: "-") { next += 1 }
    if byte == UInt8(ascii: "0") { next += 1 } else if !skipDigits() { return false }
    if byte == UInt8(ascii: ".") {
      next += 1
      if !skipDigits() { return false }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      next += 1
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { next += 1 }
      if !skipDigits() { return false }
    }
    return true
  }

  @inlinable
  mutating func skipDigits() -> Bool {
    let start = next
    _ = digits()
    return next > start
  }

  /// Reads digits. The value is meaningless when there are more than 19.
  @inlinable
  mutating func digits(after start: UInt64 = 0) -> UInt64 {
    var value = start
    while true {
      let digit = byte &- UInt8(ascii: "0")
      if digit > 9 { return value }
      value = value &* 10 &+ UInt64(digit)
      next += 1
    }
  }
}
