/// The encoding of the difference between the times of two events of a session, as a variable number whose lowest bit is the
/// unit.
enum ColumnTime {
  /// The resolution of time in browsers, in microseconds.
  private static let step: Int64 = 100

  /// The differences that fit into a token, which has one bit less. Event times and the daemon's clock are between 0 and 2^53,
  /// so that their differences are far within it.
  private static let range: Range<Int64> = -(1 << 62)..<1 << 62

  /// Returns the token of a difference in microseconds.
  ///
  /// - Throws: ``ContentError/badValue(field:value:)`` for a difference that no two times have.
  static func token(_ difference: Int64) throws(ContentError) -> UInt64 {
    let (steps, rest) = difference.quotientAndRemainder(dividingBy: step)
    if rest == 0 { return steps.zigzag << 1 }
    guard range.contains(difference) else {
      throw .badValue(field: "time's difference", value: UInt64(bitPattern: difference))
    }
    return difference.zigzag << 1 | 1
  }

  /// Returns the difference of a token, in microseconds.
  static func difference(_ token: UInt64) -> Int64 {
    let value = Int64(zigzag: token >> 1)
    return token & 1 == 0 ? value &* step : value
  }
}
