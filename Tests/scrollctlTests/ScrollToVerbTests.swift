import JSON
import ScrollClient
import ScrollClientTesting
import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("scroll-to")
struct ScrollToVerbTests {
  private static let session = RecordVerbTests.session

  private static func record(_ position: Int, _ record: String) -> String {
    #"{"position":\#(position),"received":1,"client":"a","user":0,"session":"\#(session)","record":\#(record)}"#
  }

  private static let request = record(5, #"{"kind":"request","time":1,"target":"top"}"#)

  /// A daemon that stores the request at position 5, and then has these records in its log.
  private func daemon(_ records: [String]) throws -> FakeDaemon {
    try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Scroll": .reply(#"{"position":5}"#)
      case "org.scrolld.Observer.Subscribe": .stream([#"{"position":5,"caughtUp":true,"generation":1}"#], ends: false)
      default: .stream(call.parameterObject?["after"]?.asInt64 == 4 ? records : ["{}"], ends: true)
      }
    }
  }

  private func failure(_ daemon: FakeDaemon, _ arguments: [String]) -> Failure? {
    do {
      _ = try CapturedOutput().run(["scroll-to", "a", "top", "--socket", daemon.address.path] + arguments)
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test("A carried-out request is reported, with status 0")
  func done() throws {
    // Responses to other requests do not count.
    let other = Self.record(6, #"{"kind":"response","time":2,"request":3,"done":false}"#)
    let records = [Self.request, other, Self.record(7, #"{"kind":"response","time":2,"request":5,"done":true}"#)]
    let daemon = try daemon(records)
    let captured = CapturedOutput()
    let status = try captured.run(["scroll-to", "a", "page", "2", "--uid", "7", "--socket", daemon.address.path])
    #expect(status == .done)
    #expect(captured.text == "a has scrolled to page 2 (request 5).\n")
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"client":"a","user":7,"target":"page","page":2}"#, #"{"clients":["a"],"detail":"frames"}"#,
        #"{"client":"a","user":7,"after":4}"#,
      ])
    let programs = CapturedOutput()
    #expect(try programs.run(["--json", "scroll-to", "a", "top", "--socket", daemon.address.path]) == .done)
    #expect(programs.text == #"{"request":5,"outcome":"done"}"# + "\n")
  }

  @Test("A refusal is reported with its reason, with status 1")
  func refused() throws {
    let response = #"{"kind":"response","time":2,"request":5,"done":false,"reason":"busy\u001b"}"#
    let daemon = try daemon([Self.request, Self.record(6, response)])
    #expect(failure(daemon, [])?.message == "the client “a” refused to scroll to the top: busy\u{1B}")
    let programs = CapturedOutput()
    #expect(try programs.run(["--json", "scroll-to", "a", "top", "--socket", daemon.address.path]) == .failed)
    #expect(programs.text == #"{"request":5,"outcome":"refused","reason":"busy\u001b"}"# + "\n")
  }

  @Test("A session that ends before its answer is reported")
  func closed() throws {
    let daemon = try daemon([Self.request, Self.record(6, #"{"kind":"close","time":2,"reason":"asked"}"#)])
    #expect(failure(daemon, [])?.message == "the session of “a” ended before the client answered request 5")
  }

  @Test("Without an answer in time, the hint is how to find it later")
  func unanswered() throws {
    let found = try #require(failure(daemon([Self.request]), ["--wait", "0.01"]))
    #expect(found.message == "the client “a” did not answer request 5 in time")
    #expect(found.hint?.contains("scrollctl log a --after 5") == true)
  }

  @Test("A caller who may ask but not observe gets a message about it")
  func unseen() throws {
    let found = try #require(failure(daemon(["{}"]), []))
    #expect(found.message == "made request 5, but you may not see the answer of “a”")
    let refusing = try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Scroll": .reply(#"{"position":5}"#)
      case "org.scrolld.Observer.Subscribe": .stream([#"{"position":5,"caughtUp":true,"generation":1}"#], ends: false)
      default: .error(.permissionDenied)
      }
    }
    #expect(failure(refusing, ["--uid", "7"])?.message == found.message)
  }

  @Test("--wait 0 does not wait")
  func asked() throws {
    let daemon = try daemon([])
    let captured = CapturedOutput()
    let arguments = ["scroll-to", "a", "0,120.5", "--wait", "0", "--socket", daemon.address.path]
    #expect(try captured.run(arguments) == .done)
    #expect(captured.text == "Asked a to scroll to 0,120.5 (request 5).\n")
    #expect(daemon.received.map(\.method) == ["Scroll"])
  }

  @Test("Messages name a client that is away or unknown")
  func away() throws {
    let away = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Observer.ClientAway")) }
    #expect(failure(away, [])?.message == "the client “a” is away: it is not listening for requests")
    let none = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Observer.NoSuchClient")) }
    #expect(failure(none, [])?.message == "no client “a” has an open session that you may see")
    #expect(failure(none, [])?.hint == "“scrollctl sessions” lists the clients that the log has.")
  }

  @Test("A client whose sessions are closed is told apart from one that never was")
  func closedBefore() throws {
    let summary = { (position: Int, more: String) in
      #"{"summary":{"client":"a","user":0,"session":"\#(SessionID(high: 0, low: UInt64(position)))","policy":"safari","#
        + #""position":\#(position),"opened":1,"received":1,"lastReceived":1,\#(more)"whole":true,"events":1}}"#
    }
    func daemon(_ summaries: [String]) throws -> FakeDaemon {
      try FakeDaemon { call, _, _ in
        call.method == "org.scrolld.Observer.Sessions"
          ? .stream(summaries, ends: true) : .error(VarlinkError("org.scrolld.Observer.NoSuchClient"))
      }
    }
    let closed = #""closed":1796000000000000,"reason":"idle","#
    let gone = try daemon([summary(2, closed), summary(1, #""closed":5,"reason":"asked","#)])
    let found = try #require(failure(gone, ["--uid", "7"]))
    let date = TimeText().date(1_796_000_000_000_000)
    let id = SessionID(high: 0, low: 2)
    #expect(
      found.message
        == "the client “a” has no open session: its newest one, \(id), was closed at \(date) by its clock (idle)")
    #expect(found.hint == "Only a client with an open session can scroll: “scrollctl list” lists these.")
    #expect(gone.received.map(\.parameters).last == #"{"clients":["a"],"user":7}"#)
    #expect(try failure(daemon(["{}"]), [])?.message == "no client “a” has a session that you may see")
  }

  @Test("Invalid targets are refused, and the message lists valid ones")
  func targets() {
    #expect(ScrollRequest.Target(words: ["bottom"]) == .bottom)
    #expect(ScrollRequest.Target(words: ["page", "0"]) == .page(0))
    #expect(ScrollRequest.Target(words: ["-390,0.5"]) == .offset(x: -390, y: 0.5))
    for words in [
      ["up"], ["page"], ["page", "-1"], ["page", "two"], ["top", "1"], ["1"], ["1,2,3"], ["1,"], ["nan,0"], ["0,inf"],
    ] {
      #expect(ScrollRequest.Target(words: words) == nil, "\(words)")
      #expect(throws: UsageError.self, "\(words)") {
        try CapturedOutput().run(["scroll-to", "a"] + words + ["--socket", "/nowhere"])
      }
    }
    for wait in ["-1", "soon", "nan", "inf"] {
      #expect(throws: UsageError.self, "\(wait)") {
        try CapturedOutput().run(["scroll-to", "a", "top", "--wait", wait, "--socket", "/nowhere"])
      }
    }
  }
}
