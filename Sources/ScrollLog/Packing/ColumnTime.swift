// How an event's time differs from the one before, as one variable number.

/// How an event's time differs from the same session's one before: a variable number whose lowest bit says in what.
enum ColumnTime {
  /// Browsers tell time in steps of so many microseconds.
  private static let step: Int64 = 100

  /// The token of a difference in microseconds.
  static func token(_ difference: Int64) -> UInt64 {
    let (steps, rest) = difference.quotientAndRemainder(dividingBy: step)
    return rest == 0 ? steps.zigzag << 1 : difference.zigzag << 1 | 1
  }

  /// The difference that a token tells, in microseconds.
  static func difference(_ token: UInt64) -> Int64 {
    let value = Int64(zigzag: token >> 1)
    return token & 1 == 0 ? value &* step : value
  }
}
