import JSON
import ScrollTesting
import Testing

@Suite struct JSONWriterTests {
  @Test func theWriterAddsCommas() {
    let text = encoded {
      $0.beginObject()
      $0.member("a", 1)
      $0.key("b")
      $0.beginArray()
      $0.int(1)
      $0.beginArray()
      $0.endArray()
      $0.beginObject()
      $0.endObject()
      $0.null()
      $0.endArray()
      $0.key(string: "c\"")
      $0.bool(true)
      $0.member("d", ifPresent: nil as Int?)
      $0.member("e", ifPresent: "x")
      $0.key("f")
      $0.raw(Array("{\"g\":1}".utf8))
      $0.member("h", [1.5, 2])
      $0.endObject()
    }
    #expect(text == #"{"a":1,"b":[1,[],{},null],"c\"":true,"e":"x","f":{"g":1},"h":[1.5,2]}"#)
  }

  @Test func noStringCanControlATerminal() throws {
    let unsafe: [ClosedRange<UInt32>] = [
      0x01...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]
    // All that any rule speaks of, and a sample of the rest.
    for code in Array(1...0x2100) + stride(from: 0x2101 + UInt32(SeededRandom.seedOfRun % 16), to: 0x10000, by: 16) {
      guard let scalar = Unicode.Scalar(code) else { continue }
      // Text on both sides, and the same character twice, so that no byte is lost or written twice.
      let text = "é\(scalar)\(scalar)漢"
      let json = encoded { $0.string(text) }
      let isEscaped = unsafe.contains { $0.contains(code) } || scalar == "\"" || scalar == "\\"
      if isEscaped == json.unicodeScalars.dropFirst().dropLast().elementsEqual(text.unicodeScalars) {
        Issue.record("U+\(String(code, radix: 16)): \(json.debugDescription)")
      }
      let read = try JSONParser().parse(Array(json.utf8)) { $0.asString }
      if read?.unicodeScalars.elementsEqual(text.unicodeScalars) != true {
        Issue.record("U+\(String(code, radix: 16)) is read as \(read.debugDescription)")
      }
    }
    #expect(encoded { $0.string("a\u{9B}b\u{202E}\u{7F}") } == #""a\u009bb\u202e\u007f""#)
  }

  @Test func aCutCharacterAtTheEndOfAStringIsWrittenAsItIs() {
    for bytes in [[0xC2], [0xE2], [0xE2, 0x80], [0xD8]] as [[UInt8]] {
      let written = JSONWriter.encode { writer in bytes.withUnsafeBytes { writer.string(utf8: $0) } }
      #expect(written == [0x22] + bytes + [0x22])
    }
  }

  @Test(
    arguments: [
      (0, "0"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (-1, "-1"), (-10, "-10"),
      (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
      (1_000_000_000_000_000_000, "1000000000000000000"),
      (999_999_999_999_999_999, "999999999999999999"),
    ] as [(Int64, String)])
  func integersAreWrittenExactly(value: Int64, text: String) {
    #expect(encoded { $0.int(value) } == text)
  }

  @Test(
    arguments: [
      (0, "0"), (9_999_999_999_999_999_999, "9999999999999999999"),
      (10_000_000_000_000_000_000, "10000000000000000000"),
      (UInt64.max, "18446744073709551615"),
    ] as [(UInt64, String)])
  func unsignedIntegersAreWrittenExactly(value: UInt64, text: String) {
    #expect(encoded { $0.unsignedInt(value) } == text)
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (3, "3"), (-3, "-3"), (0.1, "0.1"), (-12.5, "-12.5"), (1.0 / 3, "0.3333333333333333"),
      (100_000, "100000"), (1e15, "1000000000000000"), (9_007_199_254_740_991, "9007199254740991"),
      (9_007_199_254_740_992, "9007199254740992"), (1e18, "1000000000000000000"), (1e19, "1e+19"),
      (-1.5e300, "-1.5e+300"),
      (0.0001, "0.0001"), (0.000_000_1, "0.0000001"), (9.5e-8, "9.5e-08"), (.leastNonzeroMagnitude, "5e-324"),
      (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"), (.infinity, "null"), (-.infinity, "null"),
      (.nan, "null"),
      (1_234_567_890_123_456_789_012.0, "1.2345678901234568e+21"), (123_456_789_012.345_67, "123456789012.34567"),
    ] as [(Double, String)])
  func doublesAreWrittenInTheirShortestForm(value: Double, text: String) {
    #expect(encoded { $0.double(value) } == text)
  }

  /// Coordinates have few decimals, and a quicker way than other numbers; so have their neighbours, which need all digits.
  @Test func numbersWithFewDecimalsAreWrittenLikeAllOthers() {
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    for round in 0..<20_000 {
      let most = [1_000, 100_000, 10_000_000, 999_999_999_999_999][round % 4]
      let decimal = Double(generator.whole(1...most)) / [1000, 100, 10, 10_000][round / 4 % 4]
      for value in [decimal, -decimal, decimal.nextUp, decimal.nextDown] where value != value.rounded() {
        guard value.magnitude >= 0.0001 else { continue }
        #expect(encoded { $0.double(value) } == "\(value)", "the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
      }
    }
  }

  @Test func anyDoubleSurvivesARoundTrip() throws {
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    let parser = JSONParser()
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let text = JSONWriter.encode { $0.double(value) }
      #expect(text.count <= 32)
      #expect(try parser.parse(text) { $0.asDouble } == value)
    }
  }

  @Test func stringsHaveOnlyTheRequiredEscapes() {
    #expect(encoded { $0.string("a\"b\\c/d") } == #""a\"b\\c/d""#)
    #expect(encoded { $0.string("\n\r\t\u{8}\u{B}\u{1F}\u{7F}") } == "\"\\n\\r\\t\\u0008\\u000b\\u001f\\u007f\"")
    #expect(encoded { $0.string("ä€😀") } == "\"ä€😀\"")
    #expect(encoded { $0.string("") } == "\"\"")
  }

  @Test func aNULInAStringBecomesTheReplacementCharacter() {
    #expect(encoded { $0.string("a\0b") } == "\"a\u{FFFD}b\"")
  }

  @Test func severalTextsCanBeAppendedToABuffer() {
    var buffer = ByteBuffer()
    buffer.append("x")
    buffer.appendJSON { $0.int(1) }
    buffer.appendJSON { $0.string("y") }
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == "x1\"y\"")
  }

  @Test func theTextBeforeAnErrorOfTheBodyStays() {
    struct Mine: Error {}
    var buffer = ByteBuffer()
    buffer.append("x")
    do {
      try buffer.appendJSON { writer in
        writer.beginArray()
        throw Mine()
      }
      Issue.record("nothing was thrown")
    } catch {
      #expect(String(decoding: buffer.bytes, as: UTF8.self) == "x[")
    }
  }

  private func encoded(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.encode(body), as: UTF8.self)
  }
}
