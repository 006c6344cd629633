// How a number differs from the one before, as one variable number.

/// How a number of an event differs from the same session's one before: a variable number whose two lowest bits say what it is.
enum NumberToken: Equatable {
  /// The difference in units.
  case units(Int64)
  /// The number stands as bits in the planes.
  case bits

  /// The token of a number that cannot be told in units.
  static let asBits: UInt64 = 2

  /// The token of a difference in units: of whole points where it is some, since most are.
  static func token(_ difference: Int64) -> UInt64 {
    let (points, rest) = difference.quotientAndRemainder(dividingBy: NumberUnits.perOne)
    return rest == 0 ? points.zigzag << 2 : difference.zigzag << 2 | 1
  }

  /// Reads a token.
  init(_ token: UInt64) throws(ContentError) {
    switch token & 3 {
    case 0: self = .units(Int64(zigzag: token >> 2) &* NumberUnits.perOne)
    case 1: self = .units(Int64(zigzag: token >> 2))
    case 2 where token == Self.asBits: self = .bits
    default: throw .badValue(field: "number's token", value: token)
    }
  }
}
