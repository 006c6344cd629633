import JSON
import ScrollTesting
import Testing

/// The parser reads plain texts in a way of its own, which has to agree with the way for all others.
@Suite struct PlainReaderTests {
  private let parser = JSONParser()

  @Test func randomTextsHaveTheSameValueWhicheverWayTheyAreRead() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    var valid = 0
    for _ in 0..<40_000 {
      var text = Array(value(depth: 4, &random).utf8)
      // Half of the texts are damaged.
      for _ in 0..<max(0, random.whole(-2...2)) { mutate(&text, &random) }
      let found = read(text)
      if found != nil { valid += 1 }
      #expect(
        found == readOtherwise(text),
        "\(String(decoding: text, as: UTF8.self)); SCROLLD_SEED is \(SeededRandom.seedOfRun)")
    }
    #expect(valid > 10_000)
  }

  @Test func theBytesAfterATextDoNotMatter() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let spaces = [UInt8](repeating: UInt8(ascii: " "), count: ByteBuffer.slack)
    for _ in 0..<2000 {
      let text = Array(value(depth: 3, &random).utf8)
      for count in 0...text.count {
        let prefix = Array(text[..<count])
        for rest in [Array(text[count...]), spaces] {
          #expect(
            read(prefix, followedBy: rest) == read(prefix),
            "\(String(decoding: prefix, as: UTF8.self)); SCROLLD_SEED is \(SeededRandom.seedOfRun)")
        }
      }
    }
  }

  @Test(arguments: [
    "1,2", "[1],2", "1 2", "{},{}", "\"a\",\"b\"", "", ",", "]", "[", "[[[[[[[[[[[[[[[[[[[[[", "{\"a\":1,\"a\":2}",
    "{\"minimumZoomScale\":1,\"maximumZoomScale\":2}", "{\"\":1,\"\":2}", "[1,]", "{\"a\":1,}", "{\"a\"}", "[,]", "tru",
    "nul",
    "fals", "[nulll]", "-", "[-]", "0.", "[00]", "[1.]", "[-0]", "[-0.0]", "[123456789012345678]",
    "[1234567890123456789]",
    "[9223372036854775808]", "[0.123456789012345678]", "[9007199254740993.0]", "[900719925474099.3]", "[1e2]",
    "[ 1 , 2 ]",
    "[1, 2]", "{\"a\": 1, \"b\": 2}", " 1", "1 ", "[\u{1F}]", "\"\u{1F}\"", "\"\u{7F}\"", "\"\\u0041\"", "\"ä\"",
  ])
  func theLimitsOfPlainTextsMakeNoDifference(text: String) {
    #expect(read(Array(text.utf8)) == readOtherwise(Array(text.utf8)))
  }

  // MARK: Reading

  /// Returns what a text is; nil for an error.
  private func read(_ text: [UInt8]) -> String? {
    try? parser.parse(text) { Self.exact($0) }
  }

  /// Returns what a text is when other bytes follow it, no more than may be read.
  private func read(_ text: [UInt8], followedBy rest: [UInt8]) -> String? {
    let memory = text + (rest + [UInt8](repeating: 0, count: ByteBuffer.slack)).prefix(ByteBuffer.slack)
    return memory.withUnsafeBytes { bytes in
      try? parser.parse(padded: UnsafeRawBufferPointer(rebasing: bytes[..<text.count])) { Self.exact($0) }
    }
  }

  /// Returns what a text is beside a letter that no plain text has.
  private func readOtherwise(_ text: [UInt8]) -> String? {
    let both = try? parser.parse(Array("[\"ä\",".utf8) + text + Array("]".utf8)) { $0.asArray?.map(Self.exact) }
    guard let both, both.count == 2 else { return nil }
    return both[1]
  }

  /// A text that differs for different values, also for zeros with different signs.
  private static func exact(_ value: JSONValue) -> String {
    if let members = value.asObject { return "{\(members.map { "\($0.name.string): \(exact($0.value))" })}" }
    if let elements = value.asArray { return "\(elements.map(exact))" }
    return "\(value.kind) \(value.asBool as Any) \(value.asUInt64 as Any) \(value.asInt64 as Any) "
      + "\(value.asDouble?.bitPattern as Any) \(value.asString as Any)"
  }

  // MARK: Random texts

  private func value(depth: Int, _ random: inout SeededRandom) -> String {
    switch random.whole(0...(depth > 0 ? 8 : 5)) {
    case 0: return pick(["null", "true", "false"], &random)
    case 1: return string(&random)
    case 2...5: return number(&random)
    case 6:
      let elements = (0..<random.whole(0...5)).map { _ in value(depth: depth - 1, &random) }
      return "[\(elements.joined(separator: pick([",", ", ", " ,"], &random)))]"
    default:
      let colon = pick([":", ": ", " : "], &random)
      let members = (0..<random.whole(0...6)).map { _ in string(&random) + colon + value(depth: depth - 1, &random) }
      return "{\(members.joined(separator: pick([",", ", ", "\n,"], &random)))}"
    }
  }

  private func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
    elements[random.whole(0...elements.count - 1)]
  }

  private func string(_ random: inout SeededRandom) -> String {
    let letters = (0..<random.whole(0...20)).map { _ in pick(["a", "b", "Z", " ", "~", "!", "#", ",", "]"], &random) }
    return "\"\(letters.joined())\""
  }

  private func number(_ random: inout SeededRandom) -> String {
    func digits(_ count: Int) -> String { (0..<count).map { _ in "\(random.whole(0...9))" }.joined() }
    let whole = random.whole(0...3) == 0 ? "0" : "\(random.whole(1...9))" + digits(random.whole(0...19))
    let fraction = random.whole(0...1) == 0 ? "" : ".\(digits(random.whole(1...12)))"
    let exponent = random.whole(0...9) == 0 ? "e\(random.whole(-9...9))" : ""
    return (random.whole(0...2) == 0 ? "-" : "") + whole + fraction + exponent
  }

  private func mutate(_ text: inout [UInt8], _ random: inout SeededRandom) {
    let byte = pick(Array("\"\\,:[]{}0.-e \u{0}\u{1F}\u{7F}ä".utf8), &random)
    let place = random.whole(0...text.count)
    switch random.whole(0...2) {
    case 0 where place < text.count: text.remove(at: place)
    case 1 where place < text.count: text[place] = byte
    default: text.insert(byte, at: place)
    }
  }
}
