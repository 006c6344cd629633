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
    guard digits.count == 32 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for index in 0..<32 {
      let digit: UInt64
      switch digits[index] {
      case let byte where byte >= 0x30 && byte <= 0x39: digit = UInt64(byte - 0x30)
      case let byte where byte >= 0x61 && byte <= 0x66: digit = UInt64(byte - 0x61 + 10)
      case let byte where byte >= 0x41 && byte <= 0x46: digit = UInt64(byte - 0x41 + 10)
      default: return nil
      }
      if index < 16 {
        halves.0 = halves.0 << 4 | digit
      } else {
        halves.1 = halves.1 << 4 | digit
      }
    }
    high = halves.0
    low = halves.1
  }

  /// The 32 digits in lower case.
  public var description: String { Self.digits(high) + Self.digits(low) }

  private static func digits(_ half: UInt64) -> String {
    let text = String(half, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
