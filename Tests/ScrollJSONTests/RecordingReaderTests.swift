import ScrollJSON
import ScrollModel
import Testing

@Suite("Recordings")
struct RecordingReaderTests {
  private func read(_ text: String) throws(RecordingError) -> [(line: Int, RecordingLine)] {
    try RecordingReader.read(Array(text.utf8))
  }

  private func error(_ text: String) -> RecordingError? {
    do throws(RecordingError) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test("The reader returns all kinds of lines with their numbers, and skips empty lines")
  func lines() throws {
    let lines = try read(
      """
      {"kind":"open","time":1,"client":"a/b","application":"A","title":"T","policy":"safari"}

      {"kind":"scroll","time":2,"x":0,"y":1}\r
      {"kind":"request","time":3,"target":"offset","x":1,"y":2}
      {"kind":"request","time":3,"target":"page","page":2}
      {"kind":"response","time":4,"request":9,"done":false,"reason":"busy"}
      {"kind":"close","time":5,"reason":"asked"}
      """)
    #expect(lines.map(\.line) == [1, 3, 4, 5, 6, 7])
    #expect(lines[0].1 == .open(time: 1, client: "a/b", application: "A", title: "T"))
    #expect(lines[2].1 == .request(ScrollRequest(time: 3, target: .offset(x: 1, y: 2))))
    #expect(lines[3].1 == .request(ScrollRequest(time: 3, target: .page(2))))
    #expect(lines[4].1 == .response(ScrollResponse(time: 4, request: 9, done: false, reason: "busy")))
    #expect(lines[5].1 == .close(time: 5, reason: .asked))
  }

  @Test("A byte order mark is refused with its own message")
  func byteOrderMark() {
    let reason = "begins with a byte order mark: save it without one"
    #expect(error("\u{FEFF}" + #"{"kind":"open","time":1,"client":"a"}"#) == RecordingError(line: 1, reason: reason))
  }

  @Test("An opening has its policy with all parameters, or only a name")
  func policy() throws {
    let start = #"{"kind":"open","time":1,"client":"a","policy":"readers","rule":"safari","parameters":"#
    let parameters = #"[{"name":"hideDistance","value":"40"},{"name":"revealAtBottom","value":"arrival"}]"#
    var policy = try Policy(name: "readers", ruleNamed: "safari")
    try policy.set("hideDistance", to: "40")
    try policy.set("revealAtBottom", to: "arrival")
    let line = try read(start + parameters + "}")[0].1
    #expect(line == .open(time: 1, client: "a", application: nil, title: nil, policy: policy))
    let named = try read(#"{"kind":"open","time":1,"client":"a","policy":"readers"}"#)[0].1
    #expect(named == .open(time: 1, client: "a", application: nil, title: nil, policy: nil))
    let id = SessionID(high: 1, low: 2)
    let exported = try RecordingReader.read(
      Array(#"{"kind":"open","time":1,"client":"a","session":"\#(id)"}"#.utf8)
        + Array("\n{\"kind\":\"close\",\"time\":2,\"reason\":\"idle\"}".utf8))
    #expect(exported[0].1 == .open(time: 1, client: "a", application: nil, title: nil, session: id))
    #expect(exported[1].1 == .close(time: 2, reason: .idle))
    #expect(throws: RecordingError(line: 1, field: "session", reason: "is “12”: it must have 32 hexadecimal digits")) {
      try RecordingReader.read(Array(#"{"kind":"open","time":1,"client":"a","session":"12"}"#.utf8))
    }
  }

  @Test(
    "A bad policy in an opening is refused with its field",
    arguments: [
      (#""rule":"safari","parameters":[]"#, "policy"),
      (#""policy":"p","parameters":[]"#, "rule"),
      (#""policy":"p","rule":"safari""#, "parameters"),
      (#""policy":"p","rule":"chromium","parameters":[]"#, "rule"),
      (#""policy":"p","rule":7,"parameters":[]"#, "rule"),
      (#""policy":7"#, "policy"),
      (#""policy":"p","rule":"safari","parameters":{}"#, "parameters"),
      (#""policy":"p","rule":"safari","parameters":[7]"#, "parameters"),
      (#""policy":"p","rule":"safari","parameters":[{"name":"hideDistance"}]"#, "parameters"),
      (#""policy":"p","rule":"safari","parameters":[{"name":"hideDistance","value":40}]"#, "parameters"),
      (#""policy":"p","rule":"safari","parameters":[{"name":"hideDistance","value":"-1"}]"#, "parameters"),
      (#""policy":"p","rule":"classic","parameters":[{"name":"hideDistance","value":"1"}]"#, "parameters"),
    ])
  func badPolicy(members: String, field: String) throws {
    let found = try #require(error(#"{"kind":"open","time":1,"client":"a","# + members + "}"), "\(members)")
    #expect(found.field == field)
  }

  @Test("An error has the line, the field and the reason")
  func badLine() throws {
    let good = #"{"kind":"open","time":1,"client":"a"}"# + "\n\n"
    let missing = try #require(error(good + #"{"kind":"scroll","time":2,"x":0}"#))
    #expect(missing.line == 3)
    #expect(missing.field == "y")
    #expect("\(missing)".hasPrefix("line 3: y is missing"))
    #expect(error(good + "{")?.line == 3)
    #expect(error(good + #"{"kind":"scroll","kind":"scroll"}"#)?.field == "kind")
    #expect(error(good + "7")?.line == 3)
  }

  @Test("Only another open may follow a close")
  func behindClose() throws {
    let closed = #"{"kind":"close","time":1}"# + "\n"
    #expect(error(closed + #"{"kind":"scroll","time":2,"x":0,"y":0}"#)?.line == 2)
    #expect(error(closed + closed)?.line == 2)
    #expect(try read(closed + #"{"kind":"open","time":2,"client":"b"}"#).count == 2)
  }

  @Test(
    "Lines other than events are also checked",
    arguments: [
      (#"{"kind":"open","time":1}"#, "client"),
      (#"{"kind":"open","time":1,"client":""}"#, "client"),
      (#"{"kind":"open","time":1,"client":"a\u0007"}"#, "client"),
      (#"{"kind":"open","time":1,"client":7}"#, "client"),
      (#"{"kind":"open","client":"a"}"#, "time"),
      (#"{"kind":"open","time":-1,"client":"a"}"#, "time"),
      (#"{"kind":"open","time":1,"client":"a","colour":"red"}"#, "colour"),
      (#"{"kind":"close"}"#, "time"),
      (#"{"kind":"request","time":1,"target":"left"}"#, "target"),
      (#"{"kind":"request","time":1,"target":"page"}"#, "page"),
      (#"{"kind":"request","time":1,"target":"page","page":-1}"#, "page"),
      (#"{"kind":"request","time":1,"target":"offset","x":1}"#, "y"),
      (#"{"kind":"response","time":1,"request":2}"#, "done"),
    ])
  func otherLines(text: String, field: String) throws {
    let found = try #require(error(text), "must be refused: \(text)")
    #expect(found.field == field)
  }

  @Test("A client's name has 1 to 255 bytes")
  func nameLength() throws {
    let longest = String(repeating: "é", count: 127) + "a"
    #expect(try read(#"{"kind":"open","time":1,"client":"\#(longest)"}"#).count == 1)
    #expect(error(#"{"kind":"open","time":1,"client":"\#(longest)a"}"#)?.field == "client")
  }
}
