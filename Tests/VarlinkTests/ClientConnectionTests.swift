import JSON
import Testing
import Varlink

@Suite struct ClientConnectionTests {
  private let client = ClientConnection()
  private let parser = JSONParser()

  @Test func callsCarryTheirFlags() {
    client.call("a.b.Once") { $0.member("x", 1) }
    client.call("a.b.More", .more)
    client.call("a.b.Oneway", .oneway) { $0.member("y", "z") }
    #expect(
      sent() == [
        #"{"method":"a.b.Once","parameters":{"x":1}}"#, #"{"method":"a.b.More","more":true,"parameters":{}}"#,
        #"{"method":"a.b.Oneway","oneway":true,"parameters":{"y":"z"}}"#,
      ])
  }

  @Test func repliesCarryTheTokensOfTheirCalls() throws {
    let first = client.call("a.b.M")
    let second = client.call("a.b.M", .more)
    client.call("a.b.M", .oneway)
    let third = client.call("a.b.M")
    receive(
      #"{"parameters":{"n":1}}"#, #"{"parameters":{"n":2},"continues":true}"#,
      #"{"parameters":{"n":3},"continues":false}"#,
      #"{"error":"a.b.E","parameters":{"why":"x"}}"#)
    var seen: [(ClientCallToken, Bool, Int64?)] = []
    func readNext() throws -> Bool {
      let isRead: Bool? = try client.nextReply(using: parser) { reply in
        let error = VarlinkError("a.b.E") { $0.member("why", "x") }
        #expect(reply.error == (reply.token == third ? error : nil))
        seen.append((reply.token, reply.continues, reply.parameterObject?["n"]?.asInt64))
        return true
      }
      return isRead == true
    }
    while try readNext() {}
    #expect(seen.map(\.0) == [first, second, second, third])
    #expect(seen.map(\.1) == [false, true, false, false])
    #expect(seen.map(\.2) == [1, 2, 3, nil])
    #expect(!client.awaitsReplies)
  }

  @Test func repliesAreTakenUnparsedForAsLongAsTheClosureTakesThem() throws {
    struct Stop: Error {}
    client.call("a.b.M", .more)
    var seen: [String] = []
    func take() throws -> ClientConnection.UnparsedEnd {
      try client.takeUnparsedReplies { message in
        let text = String(decoding: message, as: UTF8.self)
        if text == "other" { return nil }
        seen.append(text)
        if text == "stop" { throw Stop() }
        return text != "last"
      }
    }
    #expect(try take() == .incomplete)
    receive("1", "2", "stop", "3", "other")
    #expect(throws: Stop.self) { try take() }
    #expect(try take() == .other)
    #expect(throws: ProtocolViolation.self) { try client.nextReply(using: parser) { _ in } }
    #expect(seen == ["1", "2", "stop", "3"])
  }

  @Test func theLastUnparsedReplyEndsTheCall() throws {
    client.call("a.b.M", .more)
    client.call("a.b.M")
    receive("1", "last", #"{"parameters":{"n":3}}"#)
    #expect(try client.takeUnparsedReplies { $0.count < 4 } == .ended)
    // Only a call that gets many replies has any to take.
    #expect(try client.takeUnparsedReplies { _ in true } == .other)
    #expect(try client.nextReply(using: parser) { $0.parameterObject?["n"]?.asInt64 } == 3)
    #expect(!client.awaitsReplies)
  }

  @Test func aReplySplitAtAnyByteIsReadTheSame() throws {
    let bytes = Array((#"{"parameters":{"s":"hällo"}}"# + "\0").utf8)
    for split in 0..<bytes.count {
      let client = ClientConnection()
      client.call("a.b.M")
      bytes[..<split].withUnsafeBytes { client.receive($0) }
      let early = try client.nextReply(using: parser) { _ in true }
      #expect(early == nil)
      bytes[split...].withUnsafeBytes { client.receive($0) }
      #expect(try client.nextReply(using: parser) { reply in try readString(reply) } == "hällo")
    }
  }

  @Test(arguments: [
    ("[]", ProtocolViolation.notAnObject), ("", .emptyMessage), (#"{"error":1}"#, .wrongType(member: "error")),
    (#"{"parameters":[]}"#, .wrongType(member: "parameters")), (#"{"continues":1}"#, .wrongType(member: "continues")),
    (#"{"continues":true}"#, .unexpectedContinues), (#"{"error":"a.b.E","continues":true}"#, .unexpectedContinues),
  ])
  func aMalformedReplyIsAViolation(message: String, violation: ProtocolViolation) {
    client.call("a.b.M")
    receive(message)
    #expect(throws: violation) { try client.nextReply(using: parser) { _ in } }
    #expect(throws: violation) { try client.nextReply(using: parser) { _ in } }
  }

  @Test func aReplyWithoutACallIsAViolation() {
    client.call("a.b.M", .oneway)
    receive("{}")
    #expect(throws: ProtocolViolation.replyNotAwaited) { try client.nextReply(using: parser) { _ in } }
  }

  @Test func anIncompleteReplyAtTheEndIsAViolation() throws {
    client.call("a.b.M")
    Array("{}\0{".utf8).withUnsafeBytes { client.receive($0) }
    client.receiveEnd()
    #expect(try client.nextReply(using: parser) { _ in true } == true)
    #expect(throws: ProtocolViolation.messageCutOff) { try client.nextReply(using: parser) { _ in } }
  }

  @Test func aReplyOverTheSizeLimitIsAViolation() {
    let client = ClientConnection(maximumMessageSize: 10)
    client.call("a.b.M")
    Array(#"{"parameters"#.utf8).withUnsafeBytes { client.receive($0) }
    #expect(throws: ProtocolViolation.messageTooLong(limit: 10)) { try client.nextReply(using: parser) { _ in } }
  }

  @Test func unknownAndNullMembersOfAReplyAreIgnored() throws {
    client.call("a.b.M")
    receive(#"{"parameters":null,"error":null,"continues":null,"client_id":"x"}"#)
    let reply = try client.nextReply(using: parser) { reply in
      (reply.error, reply.continues, reply.parameterObject == nil)
    }
    #expect(reply?.0 == nil)
    #expect(reply?.1 == false)
    #expect(reply?.2 == true)
  }

  @Test func theNextReplyCanBeReadAfterAnErrorOfTheBody() throws {
    client.call("a.b.M")
    client.call("a.b.M")
    receive(#"{"error":"a.b.E"}"#, #"{"parameters":{"s":"x"}}"#)
    #expect(throws: VarlinkError("a.b.E")) { try client.nextReply(using: parser) { reply in try readString(reply) } }
    #expect(try client.nextReply(using: parser) { reply in try readString(reply) } == "x")
  }

  @Test func clientAndServerUnderstandEachOther() throws {
    let server = try TestService()
    let token = client.call("org.example.test.Ping") { $0.member("ping", "a\n\"b\"") }
    client.call("org.example.test.Nothing", .oneway)
    client.call("org.example.test.Ping")
    server.receive(client.withUnsafeOutput { Array($0) })
    server.connection.withUnsafeOutput { client.receive($0) }
    let pong = try client.nextReply(using: parser) { reply in
      #expect(reply.token == token)
      var p = try reply.parameters()
      let pong = try p.string("pong")
      try p.finish()
      return pong
    }
    #expect(pong == "a\n\"b\"")
    #expect(throws: VarlinkError.invalidParameter("ping")) {
      try client.nextReply(using: parser) { reply in try readString(reply) }
    }
  }

  private func readString(_ reply: Reply) throws -> String {
    var p = try reply.parameters()
    return try p.string("s")
  }

  private func receive(_ messages: String...) {
    Array(messages.map { "\($0)\0" }.joined().utf8).withUnsafeBytes { client.receive($0) }
  }

  private func sent() -> [String] {
    let bytes = client.withUnsafeOutput { Array($0) }
    client.consumeOutput(bytes.count)
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
