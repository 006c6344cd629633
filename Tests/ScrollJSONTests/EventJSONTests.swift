import JSON
import ScrollJSON
import ScrollModel
import ScrollTesting
import Testing

@Suite("Events as JSON")
struct EventJSONTests {
  private let parser = JSONParser()

  private func event(_ text: String) throws -> Event {
    try parser.parse(Array(text.utf8)) { try Event(json: $0) }
  }

  private func problem(_ text: String) -> EventProblem? {
    do {
      _ = try event(text)
      return nil
    } catch {
      return error as? EventProblem
    }
  }

  @Test("Every event of every fixture reads back from its JSON", arguments: ["cases", "recordings"])
  func roundTrip(folder: String) throws {
    var count = 0
    for name in try Fixtures.names(in: folder) {
      for original in try Fixtures.recording(name, in: folder).events {
        let text = String(decoding: JSONWriter.encode { original.write(to: &$0) }, as: UTF8.self)
        #expect(try event(text) == original)
        count += 1
      }
    }
    #expect(count > 50)
  }

  @Test("An event with every field of its kind reads back", arguments: Event.Kind.allCases)
  func everyField(kind: Event.Kind) throws {
    var original = Event(kind, time: 1_795_997_872_176_400)
    for field in Event.Field.allCases where kind.allowedFields.contains(Event.FieldSet(field)) {
      original.set(field, variant: 0)
    }
    let text = String(decoding: JSONWriter.encode { original.write(to: &$0) }, as: UTF8.self)
    #expect(try event(text) == original)
  }

  @Test("Members may come in any order, and null counts as absent")
  func order() throws {
    let read = try event(#"{"y":2,"x":1,"translationY":null,"time":3,"kind":"scroll"}"#)
    var expected = Event(.scroll, time: 3)
    expected.x = 1
    expected.y = 2
    #expect(read == expected)
  }

  @Test(
    "A refusal names the field",
    arguments: [
      ("[]", "event", "an array"),
      (#"{"time":1,"x":0,"y":0}"#, "kind", "is missing"),
      (#"{"kind":"wobble","time":1}"#, "kind", "“wobble”"),
      (#"{"kind":7,"time":1}"#, "kind", "an integer"),
      (#"{"kind":"open","time":1,"client":"a"}"#, "kind", "“open”"),
      (#"{"kind":"scroll","x":0,"y":0}"#, "time", "is missing"),
      (#"{"kind":"scroll","time":"1","x":0,"y":0}"#, "time", "a string"),
      (#"{"kind":"scroll","time":1.5,"x":0,"y":0}"#, "time", "a fraction"),
      (#"{"kind":"scroll","time":-1,"x":0,"y":0}"#, "time", "-1"),
      (#"{"kind":"scroll","time":9007199254740993,"x":0,"y":0}"#, "time", "9007199254740993"),
      (#"{"kind":"scroll","time":1,"x":0}"#, "y", "is missing"),
      (#"{"kind":"dragBegin","time":1,"y":0}"#, "x", "is missing"),
      (#"{"kind":"dragEnd","time":1,"x":0}"#, "y", "is missing"),
      (#"{"kind":"scrollEnd","time":1,"x":0}"#, "y", "is missing"),
      (#"{"kind":"zoom","time":1}"#, "zoomScale", "is missing"),
      (#"{"kind":"scroll","time":1,"x":0,"y":"5"}"#, "y", "a string"),
      (#"{"kind":"scroll","time":1,"x":0,"y":1e400}"#, "y", "out of range"),
      (#"{"kind":"scroll","time":1,"x":0,"y":0,"z":1}"#, "z", "is not a field"),
      (#"{"kind":"scroll","time":1,"x":0,"y":0,"source":"wind"}"#, "source", "“wind”"),
      (#"{"kind":"scroll","time":1,"x":0,"y":0,"source":1}"#, "source", "an integer"),
      (#"{"kind":"dragEnd","time":1,"x":0,"y":0,"willDecelerate":1}"#, "willDecelerate", "an integer"),
      (#"{"kind":"layout","time":1,"contentHeight":-1}"#, "contentHeight", "-1"),
      (#"{"kind":"layout","time":1,"frameWidth":-0.5}"#, "frameWidth", "-0.5"),
      (#"{"kind":"layout","time":1,"minimumZoomScale":0}"#, "minimumZoomScale", "0"),
      (#"{"kind":"zoom","time":1,"zoomScale":-2}"#, "zoomScale", "-2"),
      (#"{"kind":"layout","time":1,"rightToLeft":"yes"}"#, "rightToLeft", "a string"),
      (#"{"kind":"scroll","time":1,"x":0,"y":0,"contentHeight":5}"#, "contentHeight", ""),
    ])
  func refused(text: String, field: String, reason: String) throws {
    let found = try #require(problem(text), "must be refused: \(text)")
    #expect(found.field == field)
    #expect(reason.isEmpty || found.reason.contains(reason), "\(found)")
  }

  @Test("A name that differs from a field's by a byte is not a field", arguments: Event.Field.allCases)
  func similarNames(field: Event.Field) {
    let name = Array("\(field.name)".utf8)
    var similar: [[UInt8]] = [[], name + name]
    for place in 0...name.count {
      for byte in UInt8(ascii: "A")...UInt8(ascii: "z") where byte != UInt8(ascii: "\\") {
        similar.append(name[..<place] + [byte] + name[place...])
        if place < name.count { similar.append(name[..<place] + [byte] + name[(place + 1)...]) }
      }
      if place < name.count { similar.append(Array(name[..<place] + name[(place + 1)...])) }
    }
    let known = Set(["kind", "time"] + Event.Field.allCases.map { "\($0.name)" })
    for bytes in similar {
      let text = String(decoding: bytes, as: UTF8.self)
      if known.contains(text) { continue }
      #expect(problem("{\"\(text)\":1}") == EventProblem(field: text, reason: "is not a field of an event"))
    }
  }

  @Test("A changed event is the same event or problem whichever way the parser reads it")
  func changedEvents() throws {
    enum Outcome: Equatable {
      case event(Event)
      case problem(EventProblem)

      init(_ value: JSONValue) {
        do { self = .event(try Event(json: value)) } catch { self = .problem(error) }
      }
    }
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let texts = try Fixtures.names(in: "cases").flatMap { try Fixtures.recording($0, in: "cases").events }
      .map { event in JSONWriter.encode { event.write(to: &$0) } }
    var (events, problems) = (0, 0)
    for _ in 0..<30_000 {
      var bytes = texts[random.whole(0...texts.count - 1)]
      random.change(&bytes, times: 0...2, to: 32...126)
      let found = try? parser.parse(bytes) { Outcome($0) }
      // Beside a letter that no plain text has, the parser takes its other way.
      let both = try? parser.parse(Array("[\"ä\",".utf8) + bytes + Array("]".utf8)) { $0.asArray?.map(Outcome.init) }
      let other = both.flatMap { $0.count == 2 ? $0[1] : nil }
      #expect(found == other, "\(String(decoding: bytes, as: UTF8.self)); SCROLLD_SEED is \(SeededRandom.seedOfRun)")
      if case .event = found { events += 1 }
      if case .problem = found { problems += 1 }
    }
    #expect(events > 1000 && problems > 1000, "\(events) events, \(problems) problems")
  }
}
