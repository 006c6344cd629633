import JSON
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollClient

/// Replies with events that are read without parsing them.
@Suite struct PlainEventTests {
  private static let record = #"{"kind":"scroll","time":5,"x":0,"y":-1.5e3,"source":"program"}"#
  private static let entry =
    #"{"position":2,"received":3000000,"client":"a/b","user":1000,"session":"0123456789abcdef0123456789abcdef","#
    + #""number":1,"record":\#(record)}"#
  private static let reply = #"{"parameters":\#(entry),"continues":true}"#

  /// Reads a reply, which a NUL follows.
  private func read(_ text: String) -> (position: Int64, number: Int64, record: String, json: String, continues: Bool)?
  {
    let bytes = Array(text.utf8) + [0]
    return bytes.withUnsafeBytes { bytes in
      PlainEvent(UnsafeRawBufferPointer(rebasing: bytes.dropLast())).map {
        (
          $0.position, $0.number, String(decoding: $0.record, as: UTF8.self), String(decoding: $0.json, as: UTF8.self),
          $0.continues
        )
      }
    }
  }

  @Test func anEventIsReadInItsOwnBytes() throws {
    let event = try #require(read(Self.reply))
    #expect(event.position == 2 && event.number == 1 && event.continues)
    #expect(event.record == Self.record && event.json == Self.entry)
    let last = try #require(read(#"{"parameters":\#(Self.entry)}"#))
    #expect(!last.continues)
  }

  @Test func theEventIsDecodedOnRequest() throws {
    func event(_ text: String, decodes: Bool) -> Event?? {
      (Array(text.utf8) + [0]).withUnsafeBytes { bytes in
        var memory = Event(.layout, time: 0)
        return withUnsafeMutablePointer(to: &memory) { memory in
          PlainEvent(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), decodingTo: decodes ? memory : nil)
            .map(\.event)
        }
      }
    }
    let text = Self.reply.replacing("-1.5e3", with: "-1.5")
    var expected = Event(.scroll, time: 5)
    (expected.x, expected.y, expected.source) = (0, -1.5, .program)
    #expect(event(text, decodes: true) == .some(expected))
    #expect(event(text, decodes: false) == .some(nil))
    // What can't be decoded is left to the parser, which says what is wrong.
    #expect(event(text.replacing(#""x":0,"#, with: ""), decodes: true) == nil)
  }

  @Test(
    arguments: [
      (#""kind":"scroll""#, #""kind":"open""#), (#""kind":"scroll""#, #""kind":"close""#), ("a/b", #"a\"b"#),
      ("a/b", "é"),
      ("a/b", "a\u{7F}"), (#""x":0"#, #""x":00"#), (#""x":0"#, #""x":.5"#), (#""x":0"#, #""x":-"#), ("e3", "e"),
      (#""x":0"#, #""x":[0]"#), (#""x":0"#, #""x":{}"#), (#""x":0"#, #""x":null"#),
      (#""position":2"#, #""position":-2"#),
      (#""position":2"#, #""position":02"#), (#""position":2"#, #""position":12345678901234567890"#),
      (#""number":1,"#, ""), (#""user":1000"#, #""user":5000000000"#), ("cdef\",", "cde\","),
      (#","continues":true"#, #","continues":false"#), (#","continues":true"#, #","continues":true,"x":1"#),
      ("{", " {"),
    ])
  func everythingUnusualIsLeftToTheParser(part: String, other: String) {
    let text = Self.reply.replacing(part, with: other)
    #expect(text != Self.reply)
    #expect(read(text) == nil, "\(text)")
  }

  /// What passes is JSON, since programs write it elsewhere as it is.
  @Test func whatPassesParses() throws {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let parser = JSONParser()
    var passed = 0
    for _ in 0..<20_000 {
      var bytes = Array(Self.reply.utf8)
      random.change(&bytes, times: 0...2, to: 1...255)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let event = read(text) else { continue }
      passed += 1
      for json in [event.json, event.record] {
        do {
          try parser.parse(Array(json.utf8)) { _ in }
        } catch let error as JSONError where error.reason == .duplicateMember {
          // Only a hostile daemon sends a member twice, and gets it back.
        } catch {
          Issue.record("\(json): \(error); the run's SCROLLD_SEED is \(SeededRandom.seedOfRun)")
        }
      }
    }
    #expect(passed > 0)
  }
}
