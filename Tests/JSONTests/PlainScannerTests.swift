import JSON
import ScrollTesting
import Testing

/// The scanner of plain texts, which has to agree with the parser about everything that it reads.
@Suite struct PlainScannerTests {
  private func scan<Value>(_ text: String, _ read: (inout PlainScanner) -> Value?) -> Value? {
    Array(text.utf8).withUnsafeBytes { bytes in
      guard var scanner = PlainScanner(bytes), let value = read(&scanner), scanner.isAtEnd else { return nil }
      return value
    }
  }

  private func number(_ text: String) -> Double? { scan(text) { $0.number() } }

  @Test(arguments: [
    ("0", 0), ("-1", -1), ("12.5", 12.5), ("0.1", 0.1), ("-0.0", -0.0), ("123456.789012", 123456.789012),
    ("9007199254740992", 9_007_199_254_740_992), ("0.000001", 0.000001),
  ])
  func shortNumbersAreRead(text: String, value: Double) {
    #expect(number(text)?.bitPattern == value.bitPattern)
  }

  @Test(arguments: [
    "", "-", "01", "-01", ".5", "1.", "1.x", "1e5", "1E5", "1.5e-3", "-0", "+1", "9007199254740993",
    "1234567890123456789",
    "0.1234567890123456789", "12.666999999999816999",
  ])
  func unusualNumbersAreLeftToTheParser(text: String) {
    #expect(number(text) == nil)
  }

  @Test func aNumberThatIsReadIsTheParsers() throws {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let parser = JSONParser()
    var read = 0
    for _ in 0..<50_000 {
      let whole = String((0..<random.whole(1...12)).map { _ in Character("\(random.whole(0...9))") })
      let fraction = String((0..<random.whole(0...10)).map { _ in Character("\(random.whole(0...9))") })
      let text = (random.whole(0...1) == 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : ".\(fraction)")
      guard let value = number(text) else { continue }
      read += 1
      let parsed = try parser.parse(Array(text.utf8)) { $0.asDouble }
      #expect(parsed?.bitPattern == value.bitPattern, "\(text); SCROLLD_SEED is \(SeededRandom.seedOfRun)")
    }
    #expect(read > 10_000)
  }

  /// The scanner looks at eight bytes at a time.
  @Test func aTextEndsAtTheSameByteWhateverStandsAroundIt() {
    let unusual: [UInt8] = [0x00, 0x01, 0x0A, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]
    for length in 0...40 {
      for place in 0...length {
        for byte in unusual {
          // Beside it are the bytes that differ from unusual ones by a bit.
          var bytes = (0..<length).map { [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7E, 0x61][($0 + place) % 7] as UInt8 }
          if place < length { bytes[place] = byte }
          let text = [0x22] + bytes + [0x22]
          let read = text.withUnsafeBytes { text -> Int? in
            var scanner = PlainScanner(text)
            return scanner?.text()?.bytes.count
          }
          let expected: Int? = place == length ? length : byte == 0x22 ? place : nil
          if read != expected { Issue.record("\(text) reads as \(read as Int?), not \(expected as Int?)") }
        }
      }
    }
  }

  @Test func textsLiteralsAndWholeNumbersAreRead() {
    #expect(scan("\"a b\"") { $0.text()?.string } == "a b")
    #expect(scan("true") { $0.skip("true") } == true)
    #expect(scan("tru") { $0.skip("true") ? true : nil } == nil)
    #expect(scan("123456789012345678") { $0.natural() } == 123_456_789_012_345_678)
    for text in ["\"é\"", "\"a\\n\"", "\"a", "\"\u{7F}\""] {
      #expect(scan(text) { $0.text()?.string } == nil, "\(text)")
    }
    for text in ["", "-1", "01", "1234567890123456789"] { #expect(scan(text) { $0.natural() } == nil, "\(text)") }
    for text in ["0", "-0", "1.5e3", "1E-2", "10.25"] { #expect(scan(text) { $0.skipNumber() } == true, "\(text)") }
    for text in ["1e", "1.", "-", "01"] { #expect(scan(text) { $0.skipNumber() ? true : nil } == nil, "\(text)") }
  }
}
