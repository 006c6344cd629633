import JSON
import Testing
import Varlink

/// The rules of the protocol, as the server's state machine applies them.
@Suite struct ServerRulesTests {
  // MARK: Framing

  @Test func aCallSplitAtAnyByteGetsTheSameReply() throws {
    let bytes = Array((ping("hällo") + "\0").utf8)
    for split in 0...bytes.count {
      let server = try TestService()
      server.receive(bytes[..<split])
      #expect(server.sent() == (split < bytes.count ? [] : [pong("hällo")]))
      server.receive(bytes[split...])
      #expect(server.sent() == (split < bytes.count ? [pong("hällo")] : []))
      #expect(server.connection.violation == nil)
    }
  }

  @Test func aCallInSingleBytesGetsTheSameReply() throws {
    let server = try TestService()
    for byte in (ping("a") + "\0" + ping("b") + "\0").utf8 { server.receive([byte]) }
    #expect(server.sent() == [pong("a"), pong("b")])
  }

  @Test func aThousandCallsInOneWriteGetTheirRepliesInOrder() throws {
    let server = try TestService()
    server.receive((0..<1000).flatMap { Array((ping("\($0)") + "\0").utf8) })
    #expect(server.sent() == (0..<1000).map { pong("\($0)") })
  }

  @Test func whiteSpaceIsAcceptedButNeverSent() throws {
    let server = try TestService()
    let spaced = "\n { \"method\" :\t\"org.example.test.Ping\" ,\r\n \"parameters\" : { \"ping\" : \"x\" } } \n"
    #expect(server.answer(to: spaced) == [pong("x")])
  }

  @Test(arguments: [1, 10, 1000])
  func aMessageAboveTheSizeLimitClosesTheConnection(excess: Int) throws {
    let message = ping(String(repeating: "x", count: 500))
    let exact = try TestService(maximumMessageSize: message.utf8.count)
    #expect(exact.answer(to: message) == [pong(String(repeating: "x", count: 500))])

    let longer = ping(String(repeating: "x", count: 500 + excess))
    #expect(exact.answer(to: longer) == [])
    #expect(exact.connection.violation == .messageTooLong(limit: message.utf8.count))
    #expect(exact.connection.isFinished)
  }

  @Test func aMessageAboveTheSizeLimitClosesTheConnectionBeforeItsEnd() throws {
    let server = try TestService(maximumMessageSize: 100)
    server.receive(Array(repeating: UInt8(ascii: " "), count: 100))
    #expect(server.connection.violation == nil)
    server.receive([UInt8(ascii: " ")])
    #expect(server.connection.violation == .messageTooLong(limit: 100))
    #expect(server.connection.bufferedInputCount == 0)
  }

  private let tooLarge = VarlinkError("org.example.test.TooLarge") { $0.member("limit", 100) }

  @Test func aMessageAboveTheSizeLimitGetsTheErrorAfterTheRepliesBeforeIt() throws {
    let server = try TestService(ServerConnection(maximumMessageSize: 100, oversizeError: tooLarge))
    let error = #"{"error":"org.example.test.TooLarge","parameters":{"limit":100}}"#
    server.receive(call("Later", "{}"), ping("b"), String(repeating: "x", count: 101))
    #expect(server.sent() == [])
    server.connection.reply(server.later[0]) { $0.member("answer", "a") }
    #expect(server.sent() == [#"{"parameters":{"answer":"a"}}"#, pong("b"), error])
    #expect(server.connection.violation == .messageTooLong(limit: 100))
  }

  @Test func thePeerOfAMessageAboveTheSizeLimitCanSendTheRestBeforeTheEnd() throws {
    let server = try TestService(ServerConnection(maximumMessageSize: 100, oversizeError: tooLarge))
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 101)
    server.receive(piece)
    #expect(!server.connection.hasSentLastReply)
    #expect(server.sent().count == 1)
    #expect(server.connection.hasSentLastReply)
    #expect(!server.connection.isFinished)
    server.receive(piece)
    #expect(server.connection.wantsInput)
    #expect(server.connection.bufferedInputCount == 0)
    #expect(server.connection.unfinishedInputCount == 101)
    server.receiveEnd()
    #expect(server.connection.isFinished)
    #expect(server.sent() == [])
  }

  @Test func anEndlessMessageIsNotDiscardedWithoutALimit() throws {
    let server = try TestService(ServerConnection(maximumMessageSize: 100, oversizeError: tooLarge))
    server.receive([UInt8](repeating: UInt8(ascii: "x"), count: 101))
    _ = server.sent()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: ServerConnection.maximumDiscardedSize / 64)
    for _ in 0..<64 {
      #expect(!server.connection.isFinished)
      server.receive(piece)
    }
    #expect(server.connection.isFinished)
    #expect(!server.connection.wantsInput)
  }

  @Test func theDefaultSizeLimitIsOneMebibyte() throws {
    let limit = 1024 * 1024
    let padding = String(repeating: " ", count: limit - ping("x").utf8.count)
    let server = try TestService()
    #expect(server.answer(to: ping("x") + padding) == [pong("x")])
    #expect(server.answer(to: ping("x") + padding + " ") == [])
    #expect(server.connection.violation == .messageTooLong(limit: limit))
  }

  // MARK: Calls

  @Test(arguments: ["", #","parameters":null"#, #","parameters":{}"#])
  func absentNullAndEmptyParametersAreEquivalent(parameters: String) throws {
    let server = try TestService()
    #expect(server.answer(to: #"{"method":"org.example.test.Nothing"\#(parameters)}"#) == ["{}"])
    #expect(server.answer(to: #"{"method":"org.example.test.Add"\#(parameters)}"#) == [invalidParameter("a")])
  }

  @Test(arguments: ["Nothing", "Break", "Unknown", "Add", "Watch"])
  func aOnewayCallGetsNoReplyAndTheNextCallDoes(method: String) throws {
    let server = try TestService()
    server.receive(call(method, "{}", "oneway"), ping("next"))
    #expect(server.sent() == [pong("next")])
    #expect(server.taken == ["org.example.test.\(method)", "org.example.test.Ping"])
  }

  @Test func aLateReplyToAOnewayCallIsNotSent() throws {
    let server = try TestService()
    server.receive(call("Later", "{}", "oneway"), ping("next"))
    #expect(server.connection.reply(server.later[0]) { $0.member("answer", "x") } == .ended)
    #expect(server.connection.reply(server.later[0], error: .permissionDenied) == .ended)
    #expect(server.sent() == [pong("next")])
    #expect(!server.connection.hasPendingCalls)
  }

  @Test(arguments: [
    #""oneway":true,"more":true"#, #""more":true,"upgrade":true"#, #""oneway":true,"upgrade":true"#,
    #""oneway":true,"more":true,"upgrade":true"#,
  ])
  func twoFlagsCloseTheConnection(flags: String) throws {
    try expectClosed(#"{"method":"org.example.test.Nothing",\#(flags)}"#, .conflictingFlags)
  }

  @Test func oneTrueFlagAmongFalseOnesIsAccepted() throws {
    let server = try TestService()
    let message = #"{"method":"org.example.test.Nothing","oneway":false,"more":true,"upgrade":false}"#
    #expect(server.answer(to: message) == ["{}"])
  }

  @Test(arguments: ["oneway", "more", "upgrade"], ["1", "null", "\"true\"", "{}", "[]", "0"])
  func aFlagThatIsNotABooleanClosesTheConnection(flag: String, value: String) throws {
    try expectClosed(#"{"method":"org.example.test.Nothing","\#(flag)":\#(value)}"#, .wrongType(member: flag))
  }

  @Test func anUnknownMemberWithoutADotClosesTheConnection() throws {
    try expectClosed(#"{"method":"org.example.test.Nothing","extra":1}"#, .unknownMember("extra"))
    try expectClosed(#"{"method":"org.example.test.Nothing","":1}"#, .unknownMember(""))
  }

  @Test func anUnknownMemberWithADotIsIgnored() throws {
    let server = try TestService()
    let message = #"{"method":"org.example.test.Nothing","org.example.extra":{"a":[1]}}"#
    #expect(server.answer(to: message) == ["{}"])
  }

  @Test(arguments: ["1", "null", "{}", "[\"org.example.test.Nothing\"]", "true"])
  func aMethodThatIsNotAStringClosesTheConnection(method: String) throws {
    try expectClosed(#"{"method":\#(method)}"#, .wrongType(member: "method"))
  }

  @Test func aCallWithoutAMethodClosesTheConnection() throws {
    try expectClosed("{}", .methodMissing)
    try expectClosed(#"{"parameters":{}}"#, .methodMissing)
  }

  @Test(arguments: ["[]", "1", #""{""#, "true", "\"x\""])
  func parametersThatAreNotAnObjectCloseTheConnection(parameters: String) throws {
    try expectClosed(
      #"{"method":"org.example.test.Nothing","parameters":\#(parameters)}"#, .wrongType(member: "parameters"))
  }

  @Test(arguments: ["[]", "1", "null", "\"x\"", "true"])
  func aMessageThatIsNotAnObjectClosesTheConnection(message: String) throws {
    try expectClosed(message, .notAnObject)
  }

  @Test func anEmptyMessageClosesTheConnection() throws {
    try expectClosed("", .emptyMessage)
  }

  @Test(arguments: ["{", "}", "{]", "nul", #"{"method":"a.B"}}"#, #"{"method":"a.B",}"#, " ", "\u{FEFF}{}"])
  func invalidJSONClosesTheConnection(message: String) throws {
    let server = try TestService()
    server.receive(message, ping("after"))
    #expect(server.sent() == [])
    guard case .notJSON = server.connection.violation else {
      Issue.record("\(message): \(String(describing: server.connection.violation))")
      return
    }
    #expect(server.connection.isFinished)
  }

  @Test func invalidUTF8ClosesTheConnection() throws {
    let server = try TestService()
    server.receive(Array(#"{"method":"org.example.test."#.utf8) + [0xFF] + Array("\"}\0".utf8))
    #expect(server.connection.violation == .notJSON(JSONError(.invalidUTF8)))
    #expect(server.sent() == [])
  }

  // MARK: Errors

  @Test(arguments: ["org.example.other.Ping", "org.example.Ping", "Ping", ""])
  func aCallOfAnUnknownInterfaceReturnsInterfaceNotFound(method: String) throws {
    let server = try TestService()
    let interface = method.contains(".") ? method.split(separator: ".").dropLast().joined(separator: ".") : method
    #expect(
      server.answer(to: #"{"method":"\#(method)"}"#)
        == [#"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"\#(interface)"}}"#])
  }

  @Test(arguments: ["org.example.test.Pong", "org.example.test.", "org.varlink.service.Ping"])
  func aCallOfAnUnknownMethodReturnsMethodNotFound(method: String) throws {
    let server = try TestService()
    #expect(
      server.answer(to: #"{"method":"\#(method)"}"#)
        == [#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"\#(method)"}}"#])
  }

  /// A caller could make each reply as long as its message.
  @Test func longUnknownNamesAreCutInErrors() throws {
    let server = try TestService()
    let long = String(repeating: "é.", count: 100_000)
    let cut = String(repeating: "é.", count: 85) + "\u{FFFD}…"
    #expect(
      server.answer(to: #"{"method":"\#(long)"}"#)
        == [#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"\#(cut)"}}"#])
    #expect(
      server.answer(
        to: #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"\#(long)"}}"#)
        == [#"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"\#(cut)"}}"#])
  }

  @Test(arguments: [
    ("Ping", "{}", "ping"), ("Ping", #"{"ping":1}"#, "ping"), ("Ping", #"{"ping":null}"#, "ping"),
    ("Ping", #"{"ping":"x","pong":1}"#, "pong"), ("Ping", #"{"pong":null,"ping":"x"}"#, "pong"),
    ("Add", #"{"a":1.0}"#, "a"), ("Add", #"{"a":1e2}"#, "a"), ("Add", #"{"a":"1"}"#, "a"),
    ("Add", #"{"a":true}"#, "a"), ("Add", #"{"a":1,"b":[]}"#, "b"), ("Add", #"{"a":1,"c":1}"#, "c"),
    ("Half", #"{"x":"1"}"#, "x"), ("Half", #"{"x":null}"#, "x"), ("Half", "{}", "x"),
  ])
  func anInvalidParameterIsNamedInTheError(method: String, parameters: String, name: String) throws {
    let server = try TestService()
    #expect(server.answer(to: call(method, parameters)) == [invalidParameter(name)])
    #expect(server.answer(to: ping("next")) == [pong("next")])
  }

  @Test func aNullForAnOptionalParameterMeansAbsent() throws {
    let server = try TestService()
    #expect(server.answer(to: call("Add", #"{"a":1,"b":null}"#)) == [#"{"parameters":{"sum":1}}"#])
  }

  @Test func aFloatParameterAcceptsAnInteger() throws {
    let server = try TestService()
    #expect(server.answer(to: call("Half", #"{"x":3}"#)) == [#"{"parameters":{"half":1.5}}"#])
    #expect(
      server.answer(to: call("Half", #"{"x":18446744073709551615}"#)) == [
        #"{"parameters":{"half":9.223372036854776e+18}}"#
      ])
  }

  // MARK: more

  @Test func moreOnAMethodWithOneReplyGetsItWithoutContinues() throws {
    let server = try TestService()
    #expect(server.answer(to: call("Ping", #"{"ping":"x"}"#, "more")) == [pong("x")])
  }

  @Test func aStreamingMethodWithoutMoreReturnsExpectedMore() throws {
    let server = try TestService()
    #expect(server.answer(to: call("Watch")) == [#"{"error":"org.varlink.service.ExpectedMore"}"#])
    #expect(server.answer(to: ping("next")) == [pong("next")])
  }

  @Test func anErrorNeverHasContinues() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    let watch = try #require(server.watch)
    #expect(server.connection.reply(watch, continues: true) { $0.member("event", "1") } == .continues)
    #expect(server.connection.reply(watch, error: .permissionDenied) == .ended)
    #expect(
      server.sent() == [
        #"{"parameters":{"event":"1"},"continues":true}"#, #"{"error":"org.varlink.service.PermissionDenied"}"#,
      ])
  }

  @Test func aReplyToACallWithoutMoreNeverContinues() throws {
    let server = try TestService()
    server.receive(call("Later"))
    #expect(server.connection.reply(server.later[0], continues: true) { $0.member("answer", "x") } == .expectedMore)
    #expect(server.connection.reply(server.later[0]) { $0.member("answer", "y") } == .notAwaited)
    #expect(server.sent() == [#"{"error":"org.varlink.service.ExpectedMore"}"#])
  }

  @Test func emptyParametersAreOmitted() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    let watch = try #require(server.watch)
    server.connection.reply(watch, continues: true)
    Array("{}".utf8).withUnsafeBytes { _ = server.connection.reply(watch, continues: true, encoded: $0) }
    server.connection.reply(watch, error: VarlinkError("org.example.test.Empty") { _ in })
    #expect(
      server.sent() == [#"{"continues":true}"#, #"{"continues":true}"#, #"{"error":"org.example.test.Empty"}"#])
  }

  @Test func callsAfterAStreamWaitUntilItEnds() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"), ping("behind"), call("Nothing", "{}", "oneway"))
    let watch = try #require(server.watch)
    #expect(server.connection.isWaiting)
    #expect(server.taken == ["org.example.test.Watch"])
    server.connection.reply(watch, continues: true) { $0.member("event", "1") }
    server.takeCalls()
    #expect(server.taken == ["org.example.test.Watch"])
    #expect(server.sent() == [#"{"parameters":{"event":"1"},"continues":true}"#])

    server.connection.reply(watch) { $0.member("event", "2") }
    server.takeCalls()
    #expect(server.sent() == [#"{"parameters":{"event":"2"}}"#, pong("behind")])
    #expect(server.taken.last == "org.example.test.Nothing")
  }

  @Test func theServerReceivesLimitedInputDuringAStream() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    #expect(server.connection.wantsInput)
    server.receive(Array(repeating: UInt8(ascii: " "), count: 100_000))
    #expect(!server.connection.wantsInput)
    server.connection.reply(try #require(server.watch))
    #expect(server.connection.wantsInput)
  }

  // MARK: The end

  @Test func aStreamEndsWhenThePeerHangsUp() throws {
    weak var connection: ServerConnection?
    do {
      let server = try TestService()
      server.receive(call("Watch", "{}", "more"), ping("behind"))
      server.connection.reply(try #require(server.watch), continues: true) { $0.member("event", "1") }
      server.receiveEnd()
      connection = server.connection
      #expect(connection != nil)
      #expect(server.connection.hasPendingCalls)
    }
    #expect(connection == nil)
  }

  @Test func aPeerThatClosesItsSideStillGetsItsReply() throws {
    let server = try TestService()
    server.receive(call("Later"), ping("x"))
    server.receiveEnd()
    #expect(!server.connection.isFinished)
    server.connection.reply(server.later[0]) { $0.member("answer", "late") }
    #expect(!server.connection.isFinished)
    #expect(server.sent() == [#"{"parameters":{"answer":"late"}}"#, pong("x")])
    #expect(server.connection.isFinished)
    #expect(server.connection.violation == nil)
  }

  @Test func anIncompleteMessageAtTheEndIsAViolation() throws {
    let server = try TestService()
    server.receive(Array((ping("x") + "\0{").utf8))
    server.receiveEnd()
    #expect(server.connection.violation == .messageCutOff)
    #expect(server.sent() == [pong("x")])
    #expect(server.connection.isFinished)
  }

  @Test func onlyCallsBeforeAViolationAreAnswered() throws {
    let server = try TestService()
    server.receive(call("Later"), "[]", ping("after"))
    #expect(server.connection.violation == .notAnObject)
    #expect(!server.connection.wantsInput)
    #expect(!server.connection.isFinished)
    server.connection.reply(server.later[0])
    server.receive(ping("later still"))
    #expect(server.sent() == ["{}"])
    #expect(server.connection.isFinished)
    #expect(server.taken == ["org.example.test.Later"])
  }

  // MARK: Numbers and hostile texts

  @Test(arguments: [Int64.max, .min, 0, -1, 9_007_199_254_740_993])
  func sixtyFourBitIntegersAreExact(value: Int64) throws {
    let server = try TestService()
    #expect(server.answer(to: call("Add", #"{"a":\#(value)}"#)) == [#"{"parameters":{"sum":\#(value)}}"#])
  }

  @Test(arguments: ["9223372036854775808", "18446744073709551616", "-9223372036854775809", "1e400"])
  func integersAboveSixtyFourBitsAreInvalidParameters(value: String) throws {
    let server = try TestService()
    #expect(server.answer(to: call("Add", #"{"a":\#(value)}"#)) == [invalidParameter("a")])
    #expect(server.answer(to: ping("next")) == [pong("next")])
  }

  @Test(arguments: ["1e400", "-1e400", "18446744073709551616"])
  func floatsOutOfRangeAreInvalidParameters(value: String) throws {
    let server = try TestService()
    #expect(server.answer(to: call("Half", #"{"x":\#(value)}"#)) == [invalidParameter("x")])
  }

  @Test(arguments: ["[", "{\"a\":"])
  func deepNestingClosesTheConnection(opening: String) throws {
    let closing = opening == "[" ? "]" : "}"
    let nested = String(repeating: opening, count: 1000) + "1" + String(repeating: closing, count: 1000)
    let server = try TestService()
    #expect(server.answer(to: call("Ping", #"{"ping":\#(nested)}"#)) == [])
    guard case .notJSON(let error) = server.connection.violation else {
      Issue.record("\(String(describing: server.connection.violation))")
      return
    }
    #expect(error.reason == .tooDeep)
  }

  @Test(arguments: [
    #"{"method":"org.example.test.Nothing","method":"org.example.test.Nothing"}"#,
    #"{"method":"org.example.test.Add","parameters":{"a":1,"a":1}}"#,
    #"{"method":"org.example.test.Nothing","org.x":{"b":{"c":1,"c":2}}}"#,
  ])
  func aDuplicateMemberClosesTheConnection(message: String) throws {
    let server = try TestService()
    #expect(server.answer(to: message) == [])
    guard case .notJSON(let error) = server.connection.violation else {
      Issue.record("\(String(describing: server.connection.violation))")
      return
    }
    #expect(error.reason == .duplicateMember)
  }

  // MARK: upgrade and introspection

  @Test func anUpgradeReturnsAnErrorAndTheConnectionStaysOpen() throws {
    let server = try TestService()
    server.receive(call("Ping", #"{"ping":"x"}"#, "upgrade"), ping("next"))
    #expect(
      server.sent() == [
        #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"org.example.test.Ping"}}"#,
        pong("next"),
      ])
    #expect(server.taken == ["org.example.test.Ping"])
  }

  @Test func getInfoListsEveryInterfaceIncludingItsOwn() throws {
    let server = try TestService()
    #expect(
      server.answer(to: #"{"method":"org.varlink.service.GetInfo"}"#) == [
        #"{"parameters":{"vendor":"Test vendor","product":"Test product","version":"1.2","url":"https://example.org/","#
          + #""interfaces":["org.varlink.service","org.example.test"]}}"#
      ])
  }

  @Test(arguments: ["org.varlink.service", "org.example.test"])
  func getInterfaceDescriptionReturnsTheDescription(name: String) throws {
    let server = try TestService()
    let call = #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"\#(name)"}}"#
    let answer = try #require(server.answer(to: call).first)
    let text = try JSONParser().parse(Array(answer.utf8)) { $0["parameters"]?["description"]?.asString }
    let description = try InterfaceDescription(#require(text))
    #expect(description.name == name)
    #expect(server.service.interfaces.contains(description))
  }

  @Test func introspectionRejectsUnknownNamesAndParameters() throws {
    let server = try TestService()
    #expect(
      server.answer(to: #"{"method":"org.varlink.service.GetInfo","parameters":{"x":1}}"#) == [invalidParameter("x")])
    let describe = #""org.varlink.service.GetInterfaceDescription""#
    #expect(server.answer(to: #"{"method":\#(describe)}"#) == [invalidParameter("interface")])
    #expect(
      server.answer(to: #"{"method":\#(describe),"parameters":{"interface":"org.example.none"}}"#)
        == [#"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.example.none"}}"#])
  }

  private func expectClosed(
    _ message: String, _ violation: ProtocolViolation, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let server = try TestService()
    server.receive(ping("before"), message, ping("after"))
    #expect(server.sent() == [pong("before")], sourceLocation: sourceLocation)
    #expect(server.connection.violation == violation, sourceLocation: sourceLocation)
    #expect(server.connection.isFinished, sourceLocation: sourceLocation)
    #expect(server.taken == ["org.example.test.Ping"], sourceLocation: sourceLocation)
  }
}
