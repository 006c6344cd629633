import JSON
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollClient

/// Summaries that are read without parsing them.
@Suite struct SessionSummaryTests {
  private static let head =
    #"{"client":"a/b","user":1000,"session":"0123456789abcdef0123456789abcdef","application":"Reader 2","title":"News","#
    + #""policy":"safari","position":2,"opened":3000000,"received":4000000,"lastReceived":5000000,"#
  private static let tail = #""closed":6000000,"reason":"asked","whole":true,"events":7,"duration":8,"#
  private static let full = head + tail + #""reach":0.25,"flips":9,"flickers":10}"#
  private static let open = head + #""whole":false,"events":0}"#

  /// Reads a reply, which a NUL follows.
  private func plain(_ text: String) -> (summary: SessionSummary, continues: Bool)? {
    (Array(text.utf8) + [0]).withUnsafeBytes { bytes in
      var continues = false
      return SessionSummary(plain: UnsafeRawBufferPointer(rebasing: bytes.dropLast()), continues: &continues).map {
        ($0, continues)
      }
    }
  }

  private func parsed(_ text: String) throws -> SessionSummary? {
    try JSONParser().parse(Array(text.utf8)) { value in
      try SessionSummary(reply: ReplyMembers(value["parameters"]?.asObject))
    }
  }

  private static func reply(_ summary: String, continues: Bool = true) -> String {
    #"{"parameters":{"summary":\#(summary)}\#(continues ? #","continues":true"# : "")}"#
  }

  @Test(
    "What is read without parsing is what the parser reads",
    arguments: [
      full, open, full.replacing("0.25", with: "0.9333333333333333"), full.replacing("0.25", with: "1"),
      full.replacing("0.25", with: "5e-324"), full.replacing("asked", with: "somethingNew"),
      full.replacing(#""application":"Reader 2","#, with: ""), full.replacing(#""reach":0.25,"#, with: ""),
    ])
  func sameAsParsed(summary: String) throws {
    for continues in [true, false] {
      let text = Self.reply(summary, continues: continues)
      let found = try #require(plain(text))
      #expect(found.continues == continues)
      #expect(try found.summary == parsed(text))
      #expect(found.summary.json == summary)
    }
  }

  @Test(
    "Everything unusual is left to the parser",
    arguments: [
      ("a/b", #"a\"b"#), ("News", "Neuigkeiten für alle"), ("News", "a\u{7F}"), ("cdef\"", "cde\""),
      (#""user":1000"#, #""user":5000000000"#), (#""position":2"#, #""position":-2"#),
      ("0.25", "1.5"), ("0.25", "null"),
      ("0.25", "0."), (#""flips":9"#, #""flips":9.5"#), (#""whole":true"#, #""whole":1"#), (#""policy":"safari","#, ""),
      (#""flickers":10"#, #""flickers":10,"x":1"#), (#""events":7"#, #""events":1234567890123456789"#),
      (#","continues":true"#, #","continues":false"#), ("{", " {"),
    ])
  func unusual(part: String, other: String) {
    let text = Self.reply(Self.full).replacing(part, with: other)
    #expect(text != Self.reply(Self.full))
    #expect(plain(text) == nil, "\(text)")
  }

  @Test("What is read after random changes is what the parser reads")
  func changed() throws {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    var passed = 0
    for _ in 0..<20_000 {
      var bytes = Array(Self.reply(Self.full).utf8)
      random.change(&bytes, times: 0...2, to: 1...255)
      let text = String(decoding: bytes, as: UTF8.self)
      guard var found = plain(text)?.summary else { continue }
      passed += 1
      do {
        let expected = try #require(try parsed(text))
        // The parser writes the JSON again.
        found.json = expected.json
        #expect(found == expected, "\(text); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
      } catch let error as JSONError where error.reason == .duplicateMember {
        // Only a hostile daemon sends a member twice, and gets it back.
      }
    }
    #expect(passed > 0)
  }
}
