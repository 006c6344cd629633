/// Numbers with a comma before their decimals, as spreadsheets write them in many countries: `12,5`.
enum DecimalComma {
  /// Returns the number of a text with a decimal comma; `nil` for any other text.
  ///
  /// - Parameter mayGroup: Whether a comma may also separate thousands, so that `1,234` is not read.
  static func number(_ text: String, mayGroup: Bool) -> Double? {
    let letters = text.filter { $0 != " " }
    let parts = letters.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let digits = parts[0].first == "-" ? parts[0].dropFirst() : parts[0]
    let decimals = parts[1]
    guard [digits, decimals].allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }) else {
      return nil
    }
    if mayGroup, decimals.count == 3, digits.count <= 3, digits.first != "0" { return nil }
    return Double(parts[0] + "." + decimals)
  }
}
