import Platform

extension ByteSize {
  /// Returns a size as text: `512B`, `64.0K`, `1.2M`.
  static func text(_ bytes: Int64) -> String {
    let units: [(letter: String, shift: Int64)] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)]
    guard let unit = units.first(where: { bytes >> $0.shift > 0 }) else { return "\(bytes)B" }
    // Rounded down, so that 1023.9K doesn't become 1024.0K.
    let (whole, rest) = bytes.quotientAndRemainder(dividingBy: 1 << unit.shift)
    return "\(whole).\((rest * 10) >> unit.shift)\(unit.letter)"
  }
}
