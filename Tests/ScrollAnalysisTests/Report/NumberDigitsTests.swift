import Testing

@testable import ScrollAnalysis

@Suite("Digits of numbers")
struct NumberDigitsTests {
  /// As the reference decoder of source maps reads them.
  @Test(
    "Numbers have the digits that source maps give them",
    arguments: [
      (0, "A"), (1, "C"), (-1, "D"), (15, "e"), (16, "gB"), (-16, "hB"), (511, "+f"), (512, "ggB"),
      (123_456_789, "qxmvrH"),
    ] as [(Int64, String)])
  func digits(number: Int64, expected: String) {
    #expect(NumberDigits.text([number]) == expected)
    #expect(NumberDigits.text([number, 1]) == expected + "C")
  }

  @Test("Every number comes back, also the greatest and the least one")
  func roundTrip() {
    let numbers: [Int64] = [.max, .min, .min + 1, 0, -5, 1 << 52, 31, 32, 33, 1023, 1024]
    #expect(Self.decoded(NumberDigits.text(numbers)) == numbers)
  }

  @Test("Numbers that repeat take one entry with their count")
  func runs() {
    #expect(Self.decoded(NumberDigits.runs([1, 1, 1, 7, -2, -2])) == [1, 3, 7, 1, -2, 2])
    #expect(NumberDigits.runs([]) == "")
  }

  private static func decoded(_ text: String) -> [Int64] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var numbers: [Int64] = []
    var (magnitude, shift, isNegative) = (UInt64(0), 0, false)
    for letter in text {
      guard let digit = alphabet.firstIndex(of: letter) else {
        Issue.record("\(letter) is no digit")
        continue
      }
      if shift == 0 {
        isNegative = digit & 1 == 1
        magnitude = UInt64(digit & 31) >> 1
      } else {
        magnitude |= UInt64(digit & 31) << UInt64(shift - 1)
      }
      shift += 5
      guard digit & 32 == 0 else { continue }
      numbers.append(isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude))
      (magnitude, shift, isNegative) = (0, 0, false)
    }
    return numbers
  }
}
