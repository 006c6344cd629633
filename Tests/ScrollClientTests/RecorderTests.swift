import JSON
import ScrollClient
import ScrollClientTesting
import ScrollModel
import Testing
import Varlink

@Suite("Recorder calls")
struct RecorderTests {
  static let session = "0123456789abcdef0123456789abcdef"

  private func scroll(_ y: Double) -> Event {
    var event = Event(.scroll, time: 7)
    event.x = 0
    event.y = y
    return event
  }

  @Test("Open sends the given parameters only, and reads the session")
  func open() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .reply(#"{"session":"\#(Self.session)","nextNumber":4,"generation":2}"#)
    }
    let connection = try ServiceConnection(daemon.address)
    let opened = try connection.open(client: "reader/1")
    #expect(opened.session.description == Self.session)
    #expect(opened.nextNumber == 4)
    #expect(opened.generation == 2)
    _ = try connection.open(
      client: "r", application: "A 1", title: "T", session: opened.session, closeOnDisconnect: true)
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"client":"reader/1"}"#,
        #"{"client":"r","application":"A 1","title":"T","session":"\#(Self.session)","closeOnDisconnect":true}"#,
      ])
  }

  @Test("Pipelined appends are answered in order")
  func pipelined() throws {
    let daemon = try FakeDaemon { _, count, _ in
      .reply(#"{"position":\#(10 + count),"nextNumber":\#(2 + count),"durable":true,"generation":1}"#)
    }
    let connection = try ServiceConnection(daemon.address)
    let session = try #require(SessionID(Self.session))
    for number in 1...3 { try connection.sendAppend([scroll(1)], to: session, number: Int64(number)) }
    let answers = try (1...3).map { _ in try connection.receiveAppended() }
    #expect(answers.map(\.position) == [10, 11, 12])
    #expect(answers.map(\.nextNumber) == [2, 3, 4])
    #expect(answers.map(\.durable) == [true, true, true])
    #expect(
      daemon.received.first?.parameters
        == #"{"session":"\#(Self.session)","number":1,"events":[{"kind":"scroll","time":7,"x":0,"y":1}]}"#)
  }

  @Test("After a lost connection, a feeder reopens its session and continues with the number that it gets")
  func resend() throws {
    let daemon = try FakeDaemon { call, count, _ in
      switch (call.method.string, count) {
      case ("org.scrolld.Recorder.Open", 0): .reply(#"{"session":"\#(Self.session)","nextNumber":1,"generation":1}"#)
      case ("org.scrolld.Recorder.Open", _): .reply(#"{"session":"\#(Self.session)","nextNumber":3,"generation":1}"#)
      case (_, 1): .hangUp
      default: .reply(#"{"position":9,"nextNumber":5,"durable":true,"generation":1}"#)
      }
    }
    let events = (1...4).map { scroll(Double($0)) }
    let first = try ServiceConnection(daemon.address)
    let opened = try first.open(client: "c")
    #expect {
      try first.append(events, to: opened.session, number: opened.nextNumber)
    } throws: { error in
      guard case .connectionLost(daemon.address, _)? = error as? ServiceError else { return false }
      return true
    }
    let second = try ServiceConnection(daemon.address)
    let again = try second.open(client: "c", session: opened.session)
    let rest = events.dropFirst(Int(again.nextNumber) - 1)
    #expect(try second.append(rest, to: again.session, number: again.nextNumber).nextNumber == 5)
    #expect(daemon.received.last?.parameters.contains(#""number":3"#) == true)
  }

  @Test("Requests have their targets, and heartbeats are skipped")
  func requests() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .stream(
        [
          "{}", #"{"request":{"request":7,"target":"top"}}"#, #"{"request":{"request":8,"target":"bottom"}}"#,
          #"{"request":{"request":9,"target":"page","page":2}}"#,
          #"{"request":{"request":10,"target":"offset","x":0,"y":-44}}"#,
        ], ends: false)
    }
    let requests = try ServiceConnection(daemon.address).requests(of: #require(SessionID(Self.session)))
    let found = try requests.prefix(4).map { try $0.get() }
    #expect(found.map(\.request) == [7, 8, 9, 10])
    #expect(found.map(\.target) == [.top, .bottom, .page(2), .offset(x: 0, y: -44)])
    #expect(try requests.next(timeout: .zero) == .timedOut)
    #expect(daemon.received.first?.parameters == #"{"session":"\#(Self.session)"}"#)
  }

  @Test("The error about an incomplete request names the missing member")
  func badRequests() throws {
    for (text, member) in [
      (#"{"target":"top"}"#, "request"), (#"{"request":7}"#, "target"), (#"{"request":7,"target":"left"}"#, "target"),
      (#"{"request":7,"target":"page"}"#, "page"), (#"{"request":7,"target":"offset","x":1}"#, "y"),
    ] {
      let daemon = try FakeDaemon { _, _, _ in .stream([#"{"request":\#(text)}"#], ends: false) }
      let session = try #require(SessionID(Self.session))
      #expect(
        throws: ServiceError.unexpectedReply(
          daemon.address, what: "“\(member)” is missing, or not a value that a daemon sends")
      ) { try ServiceConnection(daemon.address).requests(of: session).next() }
    }
  }

  @Test("A stream of requests ends when another connection takes over")
  func takenOver() throws {
    let session = try #require(SessionID(Self.session))
    let daemon = try FakeDaemon { _, _, _ in
      .broken(["{}"], VarlinkError("org.scrolld.Recorder.RequestsTakenOver"))
    }
    let requests = try ServiceConnection(daemon.address).requests(of: session)
    #expect(throws: ServiceError.refused(.requestsTakenOver)) { try requests.next() }
    let refusing = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Recorder.RequestsTakenOver")) }
    #expect(throws: ServiceError.refused(.requestsTakenOver)) {
      try ServiceConnection(refusing.address).requests(of: session)
    }
  }

  @Test("A response sends the session, the request, and why the client did not scroll")
  func respond() throws {
    let daemon = try FakeDaemon { _, _, _ in .reply("{}") }
    let connection = try ServiceConnection(daemon.address)
    let session = try #require(SessionID(Self.session))
    try connection.respond(to: 7, of: session, done: true)
    try connection.respond(to: 8, of: session, done: false, reason: "busy")
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"session":"\#(Self.session)","request":7,"done":true}"#,
        #"{"session":"\#(Self.session)","request":8,"done":false,"reason":"busy"}"#,
      ])
  }

  @Test("Refusals are distinguished, with their parameters")
  func refusals() throws {
    let errors: [(VarlinkError, ServiceRefusal)] = [
      (
        VarlinkError("org.scrolld.Recorder.InvalidEvent") {
          $0.member("index", 3)
          $0.member("field", "y")
          $0.member("reason", "is missing")
        }, .invalidEvent(index: 3, field: "y", reason: "is missing")
      ),
      (VarlinkError("org.scrolld.Recorder.NumberGap") { $0.member("expected", 12) }, .numberGap(expected: 12)),
      (VarlinkError("org.scrolld.Recorder.TooManyEvents") { $0.member("limit", 4096) }, .tooManyEvents(limit: 4096)),
      (VarlinkError("org.scrolld.Recorder.SessionClosed"), .sessionClosed),
      (VarlinkError("org.scrolld.Recorder.NoSpace"), .noSpace),
      (.permissionDenied, .permissionDenied),
      (.invalidParameter("session"), .invalidParameter("session")),
      (VarlinkError("org.example.New"), .other(error: "org.example.New", parameters: "")),
      // An error without its parameters is unknown.
      (VarlinkError("org.scrolld.Recorder.NumberGap"), .other(error: "org.scrolld.Recorder.NumberGap", parameters: "")),
    ]
    let answers = errors.map(\.0)
    let daemon = try FakeDaemon { _, count, _ in .error(answers[count]) }
    let connection = try ServiceConnection(daemon.address)
    let session = try #require(SessionID(Self.session))
    for (_, refusal) in errors {
      #expect(throws: ServiceError.refused(refusal)) { try connection.append([scroll(1)], to: session) }
    }
  }

  @Test("The error about an incomplete reply names the missing member")
  func malformed() throws {
    let daemon = try FakeDaemon { _, _, _ in .reply(#"{"session":"\#(Self.session)","nextNumber":"4"}"#) }
    let connection = try ServiceConnection(daemon.address)
    #expect(
      throws: ServiceError.unexpectedReply(
        daemon.address, what: "“nextNumber” is missing, or not a value that a daemon sends")
    ) { try connection.open(client: "c") }
  }
}
