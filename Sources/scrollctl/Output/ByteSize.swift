/// Sizes in bytes as text: `4096`, `64K`, `500M`, `2G`, with units of 1,024.
enum ByteSize {
  private static let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

  /// Returns the size in bytes; `nil` when the text is not a size.
  static func read(_ text: String) -> Int64? {
    let scale = text.last.flatMap { units[$0] }
    let digits = scale == nil ? text : String(text.dropLast())
    guard let number = Int64(digits), number >= 0, digits.first != "+" else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: scale ?? 1)
    return overflow ? nil : bytes
  }

  /// Returns a size as text: `512B`, `64.0K`, `1.2M`.
  static func text(_ bytes: Int64) -> String {
    guard let unit = units.filter({ $0.value <= bytes }).max(by: { $0.value < $1.value }) else { return "\(bytes)B" }
    // Rounded down, so that 1023.9K does not become 1024.0K.
    let (whole, rest) = bytes.quotientAndRemainder(dividingBy: unit.value)
    return "\(whole).\(rest * 10 / unit.value)\(unit.key)"
  }
}
