/// Whole numbers as base64 digits, as source maps have them: small ones take one letter.
///
/// The lowest bit of a number is its sign. Each digit has five bits, the lowest ones first, and a sixth that says whether more
/// digits follow (ECMA-426, “Base64 VLQ”).
struct NumberDigits {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ number: Int64) {
    // The first digit has the sign and four bits, so that even the least number has room.
    var digit = Int(number.magnitude & 15) << 1 | (number < 0 ? 1 : 0)
    var rest = number.magnitude >> 4
    while true {
      bytes.append(Self.alphabet[rest == 0 ? digit : digit | 32])
      if rest == 0 { return }
      digit = Int(rest & 31)
      rest >>= 5
    }
  }

  /// The digits of numbers.
  static func text(_ numbers: some Sequence<Int64>) -> String {
    var digits = NumberDigits()
    for number in numbers { digits.append(number) }
    return digits.text
  }

  /// The digits of numbers that often repeat: each number, and how many times it follows.
  static func runs(_ numbers: [Int64]) -> String {
    var digits = NumberDigits()
    var rest = numbers[...]
    while let number = rest.first {
      let count = rest.prefix { $0 == number }.count
      digits.append(number)
      digits.append(Int64(count))
      rest = rest.dropFirst(count)
    }
    return digits.text
  }
}
