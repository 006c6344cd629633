/// The encoding of a number in an event relative to the previous one of its session, as a variable number whose two lowest bits
/// are the kind of encoding.
enum NumberToken: Equatable {
  /// The difference in units.
  case units(Int64)
  /// The number is stored as bits in the planes.
  case bits

  /// The token of a number that is not a whole number of units.
  static let asBits: UInt64 = 2

  /// Returns the token of a difference in units. Whole points, which are frequent, are stored as such.
  static func token(_ difference: Int64) -> UInt64 {
    let (points, rest) = difference.quotientAndRemainder(dividingBy: NumberUnits.perOne)
    return rest == 0 ? points.zigzag << 2 : difference.zigzag << 2 | 1
  }

  /// Decodes a token.
  init(_ token: UInt64) throws(ContentError) {
    switch token & 3 {
    case 0: self = .units(Int64(zigzag: token >> 2) &* NumberUnits.perOne)
    case 1: self = .units(Int64(zigzag: token >> 2))
    case 2 where token == Self.asBits: self = .bits
    default: throw .badValue(field: "number's token", value: token)
    }
  }
}
