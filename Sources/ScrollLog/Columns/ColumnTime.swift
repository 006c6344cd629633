// How an event's time differs from the one before, as one variable number.

/// How an event's time differs from the same session's one before: a variable number whose lowest bit says in what.
enum ColumnTime {
  /// Browsers tell time in steps of so many microseconds.
  private static let step: Int64 = 100

  /// What a token can tell that has a bit less than the number. Event times and the daemon's clock lie between 0 and
  /// 2^53, so that their differences are far from it.
  private static let range: Range<Int64> = -(1 << 62)..<1 << 62

  /// The token of a difference in microseconds.
  ///
  /// - Throws: ``ContentError/badValue(field:value:)`` for one that no two times have.
  static func token(_ difference: Int64) throws(ContentError) -> UInt64 {
    let (steps, rest) = difference.quotientAndRemainder(dividingBy: step)
    if rest == 0 { return steps.zigzag << 1 }
    guard range.contains(difference) else {
      throw .badValue(field: "time's difference", value: UInt64(bitPattern: difference))
    }
    return difference.zigzag << 1 | 1
  }

  /// The difference that a token tells, in microseconds.
  static func difference(_ token: UInt64) -> Int64 {
    let value = Int64(zigzag: token >> 1)
    return token & 1 == 0 ? value &* step : value
  }
}
