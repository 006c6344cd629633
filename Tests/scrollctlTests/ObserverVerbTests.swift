import Glibc
import JSON
import ScrollClient
import ScrollClientTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("list, status, watch and log")
struct ObserverVerbTests {
  static let session = RecordVerbTests.session
  static let state =
    #"{"client":"a\u001b[2J","user":0,"session":"\#(session)","position":7,"time":5,"toolbar":"hidden","#
    + #""trigger":"scrollDown","reachBottom":true,"bottomLatch":true,"topButton":false,"x":0,"y":12.5,"policy":"safari"}"#
  static let transition = state.dropLast() + #","changed":["toolbar","trigger"],"reason":"travelDown 12.5"}"#
  static let opened =
    #"{"position":1,"opened":{"client":"a","user":0,"session":"\#(session)","time":4,"title":"T\n2","policy":"safari"}}"#

  /// The answer of a daemon that does not remember what turned the toolbar.
  private static let methodNotFound = FakeDaemon.Answer.error(
    VarlinkError("org.varlink.service.MethodNotFound") { $0.member("method", "org.scrolld.Observer.Explain") })

  private func run(_ arguments: [String], _ handler: @escaping FakeDaemon.Handler) throws -> CapturedOutput {
    let daemon = try FakeDaemon(handler)
    let captured = CapturedOutput()
    #expect(try captured.run(arguments + ["--socket", daemon.address.path]) == .done)
    return captured
  }

  @Test("list prints a table, and with --json the states")
  func list() throws {
    let handler: FakeDaemon.Handler = { _, _, _ in .stream([#"{"state":\#(Self.state)}"#], ends: true) }
    let people = try run(["list"], handler)
    #expect(people.lines[0] == "CLIENT      USER  TOOLBAR  TRIGGER     BOTTOM      Y  POSITION")
    #expect(people.lines[1] == "a\\u{1B}[2J  root  hidden   scrollDown  reached  12.5         7")
    #expect(people.lines.last == "1 client.")
    let closed =
      #"{"summary":{"client":"a","user":0,"session":"\#(Self.session)","policy":"p","position":1,"opened":1,"#
      + #""received":1,"lastReceived":1,"closed":1,"whole":true,"events":0}}"#
    let withClosed = try run(["list"]) { call, _, _ in
      call.method == "org.scrolld.Observer.Sessions"
        ? .stream([closed, closed], ends: true) : .stream([#"{"state":\#(Self.state)}"#], ends: true)
    }
    #expect(withClosed.lines.last == "1 client; “scrollctl sessions” lists 2 closed sessions.")
    #expect(try run(["list", "--json"], handler).text == Self.state + "\n")
  }

  @Test("watch prints transitions and states as their own objects, and other replies as the daemon sends them")
  func watch() throws {
    let handler: FakeDaemon.Handler = { _, _, _ in
      .stream(
        [
          Self.opened, #"{"position":7,"state":\#(Self.state)}"#, #"{"position":7,"transition":\#(Self.transition)}"#,
          #"{"position":7,"caughtUp":true,"generation":1}"#, #"{"position":7}"#,
        ], ends: true)
    }
    let programs = try run(["--json", "watch", "--after", "0"], handler)
    #expect(
      programs.lines.map(String.init) == [
        Self.opened, Self.state, String(Self.transition), #"{"position":7,"caughtUp":true,"generation":1}"#,
      ])
    let people = try run(["watch", "--after", "0", "--frames", "a*"], handler)
    #expect(people.lines.count == 3)
    #expect(people.lines[0].hasSuffix("  a  opened “T\\u{A}2”, policy safari"))
    #expect(people.lines[2].hasSuffix("  a\\u{1B}[2J  toolbar hidden, trigger scrollDown  — travelDown 12.5"))
    #expect(!people.text.contains("\u{1B}"))
  }

  @Test("status reads from the log since when and why the toolbar is shown or hidden")
  func status() throws {
    let record =
      #"{"position":1,"received":4,"client":"a","user":0,"session":"\#(Self.session)","#
      + #""record":{"kind":"open","time":4,"client":"a","policy":"safari"}}"#
    let people = try run(["status", "a"]) { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Get": .reply(#"{"state":\#(Self.state)}"#)
      case "org.scrolld.Observer.Read": .stream([record], ends: true)
      case "org.scrolld.Observer.Explain": Self.methodNotFound
      default:
        .stream(
          [
            Self.opened, #"{"position":7,"transition":\#(Self.transition)}"#,
            #"{"position":7,"caughtUp":true,"generation":1}"#,
          ], ends: false)
      }
    }
    #expect(people.lines[0] == "○ a\\u{1B}[2J — T\\u{A}2")
    #expect(people.lines[1].hasPrefix("     Toolbar: hidden since "))
    #expect(people.lines[2] == "     Trigger: scrollDown: travelDown 12.5")
    #expect(people.lines[3] == "      Offset: x 0, y 12.5, at the bottom (one more pull shows the toolbar)")
    #expect(people.text.contains("Policy: safari"))
    #expect(people.text.contains("Session: \(Self.session), open since "))
  }

  @Test("status reads nothing but the opening when the daemon knows since when and why")
  func statusWithoutReading() throws {
    let record =
      #"{"position":1,"received":4,"client":"a","user":0,"session":"\#(Self.session)","#
      + #""record":{"kind":"open","time":4,"client":"a","title":"T","policy":"safari"}}"#
    let turn = #"{"position":6,"number":5,"time":5,"trigger":"scrollDown","reason":"travelDown 12.5","fold":"00"}"#
    for (known, expected) in [
      (#""turned":true,"turn":\#(turn)"#, "     Toolbar: hidden since 1970"),
      (#""turned":false"#, "     Toolbar: hidden since the session began"),
    ] {
      let daemon = try FakeDaemon { call, _, _ in
        call.method == "org.scrolld.Observer.Explain"
          ? .reply(#"{"state":\#(Self.state),"open":true,\#(known)}"#) : .stream([record], ends: true)
      }
      let captured = CapturedOutput()
      #expect(try captured.run(["status", "a", "--socket", daemon.address.path]) == .done)
      #expect(captured.lines[0] == "○ a\\u{1B}[2J — T")
      #expect(captured.lines[1].hasPrefix(expected), "\(captured.lines[1])")
      #expect(daemon.received.map(\.method) == ["Explain", "Read"])
    }
  }

  @Test("status --at sends a position or a time")
  func moments() throws {
    for (at, expected) in [("3", #""position":3}"#), ("@9", #""time":9000000}"#)] {
      let daemon = try FakeDaemon { _, _, _ in .reply(#"{"state":\#(Self.state)}"#) }
      let captured = CapturedOutput()
      #expect(try captured.run(["--json", "status", "a", "--at", at, "--socket", daemon.address.path]) == .done)
      #expect(daemon.received.first?.parameters.hasSuffix(expected) == true)
      #expect(captured.text == Self.state + "\n")
    }
    #expect(throws: UsageError.self) {
      try CapturedOutput().run(["status", "a", "--at", "soon", "--socket", "/nowhere"])
    }
  }

  @Test("Messages name an unknown client, and one of several users")
  func noSuchClient() throws {
    let none = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Observer.NoSuchClient")) }
    let several = try FakeDaemon { _, _, _ in
      .error(VarlinkError("org.scrolld.Observer.AmbiguousClient") { $0.member("users", [Int64(0), 7]) })
    }
    for (daemon, arguments, message) in [
      (none, ["status", "a"], "no client “a” has a session that you may see"),
      (none, ["status", "a", "--at", "3"], "no client “a” has a session of that time that you may see"),
      (none, ["explain", "a"], "no client “a” has a session that you may see"),
      (none, ["fold", "a"], "“a” is not a file, and no client “a” has a session that you may see"),
      (
        several, ["timeline", "a"],
        "“a” is not a file, and several users have a client “a”: choose one by its user id (0, 7)"
      ),
    ] {
      #expect {
        try CapturedOutput().run(arguments + ["--socket", daemon.address.path])
      } throws: { error in
        (error as? Failure)?.message == message
      }
    }
  }

  @Test("A session cannot be folded without its opening or its policy's parameters")
  func unknownPolicy() throws {
    func daemon(_ record: String) throws -> FakeDaemon {
      let reply = #"{"position":7,"received":4,"client":"a","user":0,"session":"\#(Self.session)","record":\#(record)}"#
      return try FakeDaemon { call, _, _ in
        switch call.method {
        case "org.scrolld.Observer.Get": .reply(#"{"state":\#(Self.state)}"#)
        case "org.scrolld.Observer.Explain": Self.methodNotFound
        default: .stream([reply], ends: true)
        }
      }
    }
    let scroll = #"{"kind":"scroll","time":5,"x":0,"y":1}"#
    for (record, message) in [
      (
        #"{"kind":"open","time":4,"client":"a","policy":"safari"}"#,
        "the daemon did not send the policy of the session \(Self.session)"
      ), (scroll, "the log no longer has the beginning of the session \(Self.session) of a"),
    ] {
      let daemon = try daemon(record)
      #expect {
        try CapturedOutput().run(["explain", "a", "--socket", daemon.address.path])
      } throws: { error in
        (error as? Failure)?.message == message
      }
    }
  }

  @Test("log prints records with their fields, and with --json as the daemon sends them")
  func log() throws {
    let text =
      #"{"position":2,"received":3000000,"client":"a\u0007","user":\#(geteuid()),"session":"\#(Self.session)","number":1,"#
      + #""record":{"kind":"scroll","time":5,"x":0,"y":1.5,"source":"program"}}"#
    let handler: FakeDaemon.Handler = { _, _, _ in .stream([text], ends: true) }
    #expect(try run(["log", "--json", "a"], handler).text == text + "\n")
    let people = try run(["log", Self.session, "-n", "5"], handler)
    #expect(people.lines[0].hasSuffix("a\\u{7} #1  scroll x 0 y 1.5 source program"))
    #expect(people.lines[0].hasPrefix("      2  "))
  }

  @Test("log describes openings with their policy, requests and responses")
  func logWords() throws {
    let records = [
      #"{"kind":"open","time":4,"client":"a","title":"T","policy":"p\u0007","rule":"classic","parameters":[]}"#,
      #"{"kind":"request","time":4,"target":"page","page":2}"#,
      #"{"kind":"response","time":4,"request":8,"done":false,"reason":"busy"}"#,
    ]
    let replies = records.enumerated().map { index, record in
      #"{"position":\#(7 + index),"received":4,"client":"a","user":\#(geteuid()),"session":"\#(Self.session)","record":\#(record)}"#
    }
    let people = try run(["log"]) { _, _, _ in .stream(replies, ends: true) }
    #expect(people.lines[0].hasSuffix("  a  open “T”, policy p\\u{7}"))
    #expect(people.lines[1].hasSuffix("  a  request to scroll to page 2"))
    #expect(people.lines[2].hasSuffix("  a  response to 8: not done (busy)"))
  }

  @Test("log names the owner of other users' clients, because names may be the same")
  func logOwners() throws {
    let nobody = UInt32.max - 7
    let replies = [geteuid(), nobody].map { user in
      #"{"position":7,"received":4,"client":"a","user":\#(user),"session":"\#(Self.session)","#
        + #""record":{"kind":"close","time":4}}"#
    }
    let people = try run(["log", "a"]) { _, _, _ in .stream(replies, ends: true) }
    #expect(people.lines[0].hasSuffix("  a  close"))
    #expect(people.lines[1].hasSuffix("  a of \(nobody)  close"))
  }

  @Test("log fails for an unknown client or session, as status does")
  func logOfNobody() throws {
    let daemon = try FakeDaemon { _, _, _ in .stream(["{}"], ends: true) }
    let captured = CapturedOutput()
    #expect {
      try captured.run(["log", "nobody", "--socket", daemon.address.path])
    } throws: { error in
      (error as? Failure)?.message == "the log has no record of “nobody” that you may see"
    }
    #expect(try captured.run(["log", "nobody", "--after", "7", "--socket", daemon.address.path]) == .done)
  }

  @Test("log prints nothing for an empty log")
  func emptyLog() throws {
    #expect(try run(["log"]) { _, _, _ in .stream(["{}"], ends: true) }.text.isEmpty)
  }
}
