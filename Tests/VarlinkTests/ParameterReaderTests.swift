import JSON
import Testing
import Varlink

@Suite struct ParameterReaderTests {
  @Test func everyTypeIsRead() throws {
    let text = """
      {"s":"x","i":1,"d":1.5,"b":true,"l":["a","b"],"o":{"k":1},"a":[1,null],"n":null}
      """
    try read(text) { p throws(VarlinkError) in
      #expect(try p.string("s") == "x")
      #expect(try p.text("s") == "x")
      #expect(try p.optionalString("s") == "x")
      #expect(try p.int("i") == 1)
      #expect(try p.optionalInt("i") == 1)
      #expect(try p.double("i") == 1)
      #expect(try p.double("d") == 1.5)
      #expect(try p.optionalDouble("d") == 1.5)
      #expect(try p.bool("b"))
      #expect(try p.optionalBool("b") == true)
      #expect(try p.stringArray("l") == ["a", "b"])
      #expect(try p.optionalStringArray("l") == ["a", "b"])
      #expect(try p.object("o").count == 1)
      #expect(try p.array("a").count == 2)
      #expect(try p.value("n").isNull)
      try p.finish()
    }
  }

  @Test(arguments: ["{}", #"{"x":null}"#])
  func missingAndNullParametersAreAbsent(text: String) throws {
    try read(text) { p throws(VarlinkError) in
      #expect(try p.optionalString("x") == nil)
      #expect(try p.optionalInt("x") == nil)
      #expect(try p.optionalDouble("x") == nil)
      #expect(try p.optionalBool("x") == nil)
      #expect(try p.optionalStringArray("x") == nil)
      #expect(p.optionalValue("x") == nil)
      try p.finish()
    }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.string("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.int("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.double("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.bool("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.stringArray("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.object("x") }
    expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.array("x") }
  }

  @Test(arguments: ["1", "\"1\"", "1.5", "true", "[]", "[1]", "[\"a\",1]", "{}", "1e400", "[null]"])
  func parametersOfTheWrongTypeAreInvalid(value: String) {
    let text = #"{"x":\#(value)}"#
    if !value.hasPrefix("\"") { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.optionalString("x") } }
    if value != "1" { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.optionalInt("x") } }
    if !["1", "1.5"].contains(value) {
      expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.optionalDouble("x") }
    }
    if value != "true" { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.optionalBool("x") } }
    if value != "[]" { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.optionalStringArray("x") } }
    if value != "{}" { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.object("x") } }
    if !value.hasPrefix("[") { expectInvalid("x", text) { p throws(VarlinkError) in _ = try p.array("x") } }
  }

  @Test(arguments: 0..<4)
  func theFirstUnreadParameterIsNamed(unread: Int) {
    let names: [StaticString] = ["a", "b", "c", "d"]
    expectInvalid("\(names[unread])", #"{"a":1,"b":2,"c":3,"d":4}"#) { p throws(VarlinkError) in
      for index in names.indices.reversed() where index != unread { _ = try p.int(names[index]) }
      try p.finish()
    }
  }

  @Test func aReaderKnowsAtMostSixtyFourParameters() {
    let text = "{" + (0..<100).map { "\"m\($0)\":0" }.joined(separator: ",") + "}"
    expectInvalid("m0", text) { p throws(VarlinkError) in
      _ = try p.int("m99")
      try p.finish()
    }
    expectInvalid("m1", text) { p throws(VarlinkError) in
      _ = try p.int("m0")
      try p.finish()
    }
  }

  /// Reads `text` as the parameters of a reply.
  private func read(_ text: String, _ body: (inout ParameterReader) throws(VarlinkError) -> Void) throws {
    let client = ClientConnection()
    client.call("a.b.C")
    Array((#"{"parameters":\#(text)}"# + "\0").utf8).withUnsafeBytes { client.receive($0) }
    let read: Void? = try client.nextReply(using: JSONParser()) { reply in
      var parameters = try reply.parameters()
      try body(&parameters)
    }
    #expect(read != nil)
  }

  private func expectInvalid(
    _ name: String, _ text: String, _ body: (inout ParameterReader) throws(VarlinkError) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: VarlinkError.invalidParameter(name), sourceLocation: sourceLocation) { try read(text, body) }
  }
}
