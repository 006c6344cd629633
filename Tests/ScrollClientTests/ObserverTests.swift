import JSON
import ScrollClient
import ScrollClientTesting
import ScrollJSON
import ScrollModel
import Testing
import Varlink

@Suite("Observer calls")
struct ObserverTests {
  static let session = RecorderTests.session
  static let state =
    #"{"client":"a","user":1000,"session":"\#(session)","position":7,"time":5,"toolbar":"hidden","trigger":"scrollDown","#
    + #""reachBottom":false,"bottomLatch":false,"topButton":true,"x":0,"y":12.5,"policy":"safari"}"#
  static let transition = state.dropLast() + #","changed":["toolbar","trigger"],"reason":"travelDown 12.5"}"#

  @Test("List reads one state per reply, and none from a reply without a state")
  func list() throws {
    let daemon = try FakeDaemon { _, count, _ in
      count == 0
        ? .stream([#"{"state":\#(Self.state)}"#, #"{"state":\#(Self.state)}"#], ends: true)
        : .stream(["{}"], ends: true)
    }
    let connection = try ServiceConnection(daemon.address)
    let states = try connection.list(clients: ["a*"])
    #expect(states.count == 2)
    #expect(states.first?.y == 12.5)
    #expect(try connection.list().isEmpty)
    #expect(daemon.received.map(\.parameters) == [#"{"clients":["a*"]}"#, "{}"])
  }

  @Test("A moment is sent as a position or as a time")
  func moments() throws {
    let daemon = try FakeDaemon { _, _, _ in .reply(#"{"state":\#(Self.state)}"#) }
    let connection = try ServiceConnection(daemon.address)
    for moment in [nil, LogMoment.position(3), .time(9)] { _ = try connection.state(of: "a", user: 5, at: moment) }
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"client":"a","user":5}"#, #"{"client":"a","user":5,"position":3}"#, #"{"client":"a","user":5,"time":9}"#,
      ])
  }

  @Test("A subscription distinguishes its replies, which have the JSON form that the daemon sends")
  func subscription() throws {
    let texts = [
      #"{"position":1,"opened":{"client":"a","user":0,"session":"\#(Self.session)","time":4,"title":"T","policy":"p"}}"#,
      #"{"position":7,"state":\#(Self.state)}"#,
      #"{"position":7,"transition":\#(Self.transition)}"#,
      #"{"position":7,"caughtUp":true,"generation":3}"#,
      #"{"position":8}"#,
      #"{"position":9,"closed":{"client":"a","user":0,"session":"\#(Self.session)","time":9,"reason":"asked"}}"#,
    ]
    let daemon = try FakeDaemon { _, _, _ in .stream(texts, ends: false) }
    var query = SubscriptionQuery()
    query.after = 0
    query.generation = 3
    query.detail = .frames
    let replies = try ServiceConnection(daemon.address).subscribe(query)
    var received: [SubscriptionReply] = []
    while received.count < texts.count, case .element(let reply) = try replies.next() { received.append(reply) }
    #expect(received.map(\.json) == texts)
    #expect(received.map(\.position) == [1, 7, 7, 7, 8, 9])
    #expect(received[3].content == .caughtUp(generation: 3))
    #expect(received[4].content == .heartbeat)
    guard case .timedOut = try replies.next(timeout: .zero) else {
      Issue.record("the stream goes on, and has nothing yet")
      return
    }
    #expect(daemon.received.first?.parameters == #"{"after":0,"generation":3,"detail":"frames"}"#)
  }

  @Test("Records of the log keep their JSON form")
  func read() throws {
    let texts = [
      #"{"position":1,"received":2,"client":"a","user":0,"session":"\#(Self.session)","record":{"kind":"open","time":4,"#
        + #""client":"a","policy":"safari"}}"#,
      #"{"position":2,"received":3,"client":"a","user":0,"session":"\#(Self.session)","number":1,"#
        + #""record":{"kind":"scroll","time":5,"x":0,"y":1.5}}"#,
    ]
    let daemon = try FakeDaemon { _, _, _ in .stream(texts, ends: true) }
    var query = LogQuery()
    query.session = SessionID(Self.session)
    query.limit = 2
    let received = try ServiceConnection(daemon.address).read(query).map { try $0.get() }
    #expect(received.map(\.json) == texts)
    #expect(received.map(\.number) == [nil, 1])
    #expect(received[0].record == .open(time: 4, application: nil, title: nil, policy: nil))
    #expect(daemon.received.first?.parameters == #"{"session":"\#(Self.session)","limit":2}"#)
  }

  @Test("A scroll request sends its target, and returns its position")
  func scroll() throws {
    let daemon = try FakeDaemon { _, count, _ in .reply(#"{"position":\#(40 + count)}"#) }
    let connection = try ServiceConnection(daemon.address)
    #expect(try connection.scroll("a", to: .top) == 40)
    #expect(try connection.scroll("a", user: 5, to: .page(2)) == 41)
    #expect(try connection.scroll("a", to: .offset(x: 0, y: -44.5)) == 42)
    #expect(daemon.received.map(\.method) == ["Scroll", "Scroll", "Scroll"])
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"client":"a","target":"top"}"#, #"{"client":"a","user":5,"target":"page","page":2}"#,
        #"{"client":"a","target":"offset","x":0,"y":-44.5}"#,
      ])
  }

  @Test("The message of a refusal about a client can name the client")
  func refusalNamesClient() throws {
    let daemon = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Observer.ClientAway")) }
    #expect(throws: ServiceError.refused(.clientAway)) { try ServiceConnection(daemon.address).scroll("a", to: .top) }
    #expect(ServiceRefusal.clientAway.text(about: "a") == "the client “a” is away: it is not listening for requests")
    #expect(
      ServiceRefusal.ambiguousClient(users: [0, 7]).text(about: "a")
        == "several users have a client “a”: choose one by its user id (0, 7)")
    #expect(ServiceRefusal.noSpace.text(about: "a") == nil)
  }

  @Test("An error ends a stream")
  func streamError() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .error(VarlinkError("org.scrolld.Observer.PositionTakenBack") { $0.member("last", 40) })
    }
    let replies = try ServiceConnection(daemon.address).subscribe(SubscriptionQuery())
    #expect(throws: ServiceError.refused(.positionTakenBack(last: 40))) { try replies.next() }
  }

  @Test("A report reads and writes every field of the model's table of state fields")
  func everyStateField() throws {
    var members: [String] = []
    for (index, field) in FoldState.Field.allCases.enumerated() {
      let value =
        switch field.declaration.valueType {
        case .integer: "\(index)"
        case .number: "\(index).5"
        case .flag: "true"
        case .toolbar: #""hidden""#
        case .trigger: #""zoomIn""#
        }
      members.append("\"\(field.name)\":\(value)")
    }
    let identity = #""client":"a","user":1000,"session":"\#(Self.session)","position":7"#
    let text = "{\(identity),\(members.joined(separator: ",")),\"policy\":\"safari\"}"
    let report = try StateReport(json: text)
    for field in FoldState.Field.allCases { #expect(report[field] != nil, "\(field.name)") }
    #expect(report.json == text)
  }

  @Test("A state needs every member, and ignores unknown ones")
  func stateReport() throws {
    let state = try StateReport(json: Self.state)
    #expect(state.user == 1000)
    #expect(state.trigger == .scrollDown)
    #expect(state.pageIndex == nil)
    #expect(state.json == Self.state)
    let newer = Self.state.dropLast() + #","mood":"fine"}"#
    #expect(try StateReport(json: String(newer)) == state)
    for (name, member) in [
      ("toolbar", #""toolbar":"hidden""#), ("user", #""user":1000"#), ("policy", #""policy":"safari""#),
      ("reachBottom", #""reachBottom":false"#), ("session", #""session":"\#(Self.session)""#),
    ] {
      let broken = Self.state.replacing(member, with: #""\#(name)":{}"#)
      #expect(throws: MalformedReport.member(name)) { try StateReport(json: broken) }
    }
    let odd = Self.state.replacing("hidden", with: "halfway")
    #expect(throws: MalformedReport.member("toolbar")) { try StateReport(json: odd) }
    #expect(throws: MalformedReport.self) { try StateReport(json: "{") }
  }

  @Test("A transition reads the JSON that it writes")
  func transitionReport() throws {
    let transition = try TransitionReport(json: String(Self.transition))
    #expect(transition.changed == ["toolbar", "trigger"])
    #expect(transition.json == String(Self.transition))
  }

  @Test("A loop over a stream ends with the error that ended the stream")
  func loopOverBrokenStream() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .broken([#"{"position":1}"#, #"{"position":2}"#], VarlinkError("org.scrolld.Observer.NoSpace"))
    }
    let replies = try ServiceConnection(daemon.address).subscribe(SubscriptionQuery())
    var outcomes: [Result<Position, ServiceError>] = []
    for reply in replies { outcomes.append(reply.map(\.position)) }
    #expect(outcomes == [.success(1), .success(2), .failure(.refused(.noSpace))])
    #expect(try replies.next() == .ended)
  }
}
