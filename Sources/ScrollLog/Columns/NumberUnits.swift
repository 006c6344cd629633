// Numbers as whole multiples of a small unit.

/// Lengths and scales as whole multiples of a small unit, whose differences are small whole numbers.
///
/// A point has 120,000 units: decimals with up to four places, thirds of points as phones have them, and the 64ths that
/// browsers lay out in all are whole multiples.
enum NumberUnits {
  /// How many units there are to 1.
  static let perOne: Int64 = 120_000
  /// Up to here each multiple is a number of its own that a float holds exactly.
  private static let limit = 9_007_199_254_740_992.0

  /// How many units a number has; `nil` when it isn't the very number that ``number(_:)`` makes of any.
  static func units(of number: Double) -> Int64? {
    let scaled = (number * Double(perOne)).rounded()
    guard scaled.magnitude < limit else { return nil }
    let units = Int64(scaled)
    return Self.number(units).bitPattern == number.bitPattern ? units : nil
  }

  /// The number that has so many units, rounded as IEEE 754 divides.
  static func number(_ units: Int64) -> Double { Double(units) / Double(perOne) }
}
