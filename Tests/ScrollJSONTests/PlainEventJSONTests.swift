import JSON
import ScrollJSON
import ScrollModel
import ScrollTesting
import Testing

/// Events that are read without the parser.
@Suite struct PlainEventJSONTests {
  private let parser = JSONParser()

  private func plain(_ bytes: [UInt8]) -> Event? {
    bytes.withUnsafeBytes { text in
      guard var scanner = PlainScanner(text), let event = Event(plain: &scanner), scanner.isAtEnd else { return nil }
      return event
    }
  }

  private func plain(_ text: String) -> Event? { plain(Array(text.utf8)) }

  @Test(arguments: ["cases", "recordings"])
  func nearlyAllEventsOfTheFixturesArePlain(folder: String) throws {
    var (count, read) = (0, 0)
    for name in try Fixtures.names(in: folder) {
      for original in try Fixtures.recording(name, in: folder).events {
        count += 1
        guard let event = plain(JSONWriter.encode { original.write(to: &$0) }) else { continue }
        read += 1
        #expect(event == original)
      }
    }
    #expect(read * 10 > count * 9 && count > 50, "\(read) of \(count)")
  }

  @Test func spacesAsPythonWritesThemAreRead() {
    var expected = Event(.scroll, time: 5)
    (expected.x, expected.y, expected.source) = (0, -1.5, .program)
    #expect(plain(#"{"kind": "scroll", "time": 5, "x": 0, "y": -1.5, "source": "program"}"#) == expected)
    #expect(plain(#"{"kind":"scroll","time":5,"source":"program","y":-1.5,"x":0}"#) == expected)
  }

  @Test(arguments: [
    #"{"time":5,"kind":"scroll","x":0,"y":0}"#, #"{"kind":"scroll","time":5,"x":0,"y":0,"y":0}"#,
    #"{"kind":"scroll","time":5,"x":0}"#, #"{"kind":"scroll","time":5,"x":0,"y":0,"contentHeight":5}"#,
    #"{"kind":"scroll","time":5,"x":0,"y":0,"speed":5}"#, #"{"kind":"scroll","time":5,"x":null,"y":0}"#,
    #"{"kind":"scroll","time":9007199254740993,"x":0,"y":0}"#, #"{"kind":"tap","time":5,"x":0,"y":0}"#,
    #"{"kind":"scroll","time":5,"x":0,"y":0,"source":"cat"}"#, #"{"kind":"scroll","time":5.0,"x":0,"y":0}"#,
    #"{"kind":"scroll","time":5,"x":"0","y":0}"#, #"{"kind":"scroll","time":5,"x":0,"y":0"#,
    #"{"kind":"scroll","time":5,"x":0,"y":0,}"#, #"{"kind":"close","time":5}"#,
  ])
  func everythingUnusualIsLeftToTheParser(text: String) {
    #expect(plain(text) == nil)
  }

  @Test func anEventThatIsReadIsTheParsers() throws {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let texts = try Fixtures.names(in: "cases").flatMap { try Fixtures.recording($0, in: "cases").events }
      .map { event in JSONWriter.encode { event.write(to: &$0) } }
    var read = 0
    for _ in 0..<30_000 {
      var bytes = texts[random.whole(0...texts.count - 1)]
      random.change(&bytes, times: 0...1, to: 32...126)
      guard let event = plain(bytes) else { continue }
      read += 1
      let text = String(decoding: bytes, as: UTF8.self)
      let parsed = try? parser.parse(bytes) { try Event(json: $0) }
      #expect(parsed == event, "\(text); SCROLLD_SEED is \(SeededRandom.seedOfRun)")
    }
    #expect(read > 1000)
  }
}
