/// Lengths and scales as whole multiples of a small unit, so that their differences are small integers.
///
/// A point has 120,000 units. Decimals of up to four places, the thirds of points on phones, and the 64ths in the layout of
/// browsers are all whole multiples.
enum NumberUnits {
  /// How many units 1 has.
  static let perOne: Int64 = 120_000
  /// Up to here a `Double` represents every multiple exactly.
  private static let limit = 9_007_199_254_740_992.0

  /// Returns how many units a number has; `nil` unless ``number(_:)`` returns exactly that number for them.
  static func units(of number: Double) -> Int64? {
    let scaled = (number * Double(perOne)).rounded()
    guard scaled.magnitude < limit else { return nil }
    let units = Int64(scaled)
    return Self.number(units).bitPattern == number.bitPattern ? units : nil
  }

  /// Returns the number with this many units, with the rounding of IEEE 754 division.
  static func number(_ units: Int64) -> Double { Double(units) / Double(perOne) }
}
