import CSimdJSON

/// Writes numbers as text into memory, for writers that make room for a whole object at once.
public enum DecimalDigits {
  /// How many digits an integer has at most.
  public static let maximumCount = 20
  /// How many bytes the text of a double has at most.
  public static let maximumCountOfDouble = Int(CSIMDJSON_DOUBLE_LENGTH)

  /// Writes an integer.
  ///
  /// - Parameter memory: Has room for ``maximumCount`` bytes.
  /// - Returns: The number of digits.
  public static func write(_ value: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while value >= bound {
      count += 1
      // 10^20 does not fit into 64 bits, and no number has more than 20 digits.
      if count == maximumCount { break }
      bound *= 10
    }
    var rest = value
    var index = count
    // Two digits for each division.
    while rest >= 100 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
      index -= 2
      memory.storeBytes(of: pair(remainder), toByteOffset: index, as: UInt16.self)
      rest = quotient
    }
    if rest >= 10 {
      memory.storeBytes(of: pair(rest), as: UInt16.self)
    } else {
      memory.storeBytes(of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    }
    return count
  }

  /// Returns the two digits of a number below 100, as they are in memory.
  @inline(__always)
  private static func pair(_ value: UInt64) -> UInt16 {
    UnsafeRawPointer(pairs.utf8Start).loadUnaligned(fromByteOffset: 2 * Int(value), as: UInt16.self)
  }

  /// The two digits of each number below 100.
  private static var pairs: StaticString {
    """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657\
    585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
  }

  /// Writes the shortest text that parses to the same number, which must be finite.
  ///
  /// - Parameter memory: Has room for ``maximumCountOfDouble`` bytes.
  /// - Returns: The length of the text.
  public static func write(_ value: Double, to memory: UnsafeMutableRawPointer) -> Int {
    csimdjson_write_double(value, memory.assumingMemoryBound(to: CChar.self))
  }
}
