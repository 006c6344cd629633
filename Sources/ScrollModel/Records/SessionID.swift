/// The 128-bit id of a session, written as 32 hexadecimal digits.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
  /// The first 64 bits, which are the first 16 digits.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// Creates an id from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 hexadecimal digits in either case. Returns `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard let id = text.utf8.withContiguousStorageIfAvailable({ SessionID(digits: UnsafeRawBufferPointer($0)) })
    else {
      self.init(String(text))
      return
    }
    guard let id else { return nil }
    self = id
  }

  /// Reads 32 hexadecimal digits in either case from bytes. Returns `nil` for anything else.
  public init?(digits: UnsafeRawBufferPointer) {
    guard digits.count == 32, let first = Self.half(digits, at: 0), let second = Self.half(digits, at: 16) else {
      return nil
    }
    (high, low) = (first, second)
  }

  @inline(__always)
  private static func half(_ digits: UnsafeRawBufferPointer, at start: Int) -> UInt64? {
    guard let first = eight(UInt64(bigEndian: digits.loadUnaligned(fromByteOffset: start, as: UInt64.self))),
      let second = eight(UInt64(bigEndian: digits.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
    else { return nil }
    return first << 32 | second
  }

  /// Returns the value of eight digits, the first of which is the highest byte; `nil` if one is none.
  ///
  /// Every call of a client has an id, so all eight are read at once: a loop takes seven times as long.
  @inline(__always)
  private static func eight(_ bytes: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones << 7
    guard bytes & highBits == 0 else { return nil }
    /// The highest bit of each byte that is not less than a limit. No byte carries into the next one, since all are ASCII.
    func atLeast(_ limit: UInt8, _ bytes: UInt64) -> UInt64 { (bytes &+ ones &* UInt64(0x80 - limit)) & highBits }
    let lowercase = bytes | ones &* 0x20
    let numerals = atLeast(UInt8(ascii: "0"), bytes) & ~atLeast(UInt8(ascii: "9") + 1, bytes)
    let letters = atLeast(UInt8(ascii: "a"), lowercase) & ~atLeast(UInt8(ascii: "f") + 1, lowercase)
    guard numerals | letters == highBits else { return nil }
    // “a” and “A” end in 1, and mean 10.
    var value = (bytes & (ones &* 0x0F)) &+ (letters >> 7) &* 9
    value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return (value | value >> 16) & 0xFFFF_FFFF
  }

  /// The 32 digits in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      for index in 0..<32 {
        let half = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 0xF
        digits[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
      }
      return 32
    }
  }
}
