import Glibc
import JSON
import ScrollClient
import ScrollClientTesting
import ScrollTesting
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

  @Test("watch prints a flat object with its kind for each reply, and lines for people")
  func watch() throws {
    let handler: FakeDaemon.Handler = { _, _, _ in
      .stream(
        [
          Self.opened, #"{"position":7,"state":\#(Self.state)}"#, #"{"position":7,"transition":\#(Self.transition)}"#,
          #"{"position":7,"caughtUp":true,"generation":1}"#, #"{"position":7}"#,
        ], ends: true)
    }
    let programs = try run(["--json", "watch", "--no-reconnect", "--after", "0"], handler)
    let opening = #"{"kind":"opened","position":1,"client":"a","user":0,"session":"\#(Self.session)","time":4,"#
    var expected = [opening + #""title":"T\n2","policy":"safari"}"#]
    expected.append(#"{"kind":"state","# + String(Self.state.dropFirst()))
    expected.append(#"{"kind":"transition","# + String(Self.transition.dropFirst()))
    expected.append(#"{"kind":"caughtUp","position":7,"generation":1}"#)
    #expect(programs.lines.map(String.init) == expected)
    let people = try run(["watch", "--no-reconnect", "--after", "0", "--frames", "a*"], handler)
    #expect(people.lines.count == 4)
    #expect(people.lines[0] == "-- times by the clients' clocks --")
    #expect(people.lines[1].hasSuffix("  a  opened “T\\u{A}2”, policy safari"))
    #expect(people.lines[3].hasSuffix("  a\\u{1B}[2J  toolbar hidden, trigger scrollDown  — travelDown 12.5"))
    #expect(!people.text.contains("\u{1B}"))
  }

  /// Watches a daemon until a line has some text, and returns the lines up to there.
  private func watched(_ arguments: [String], at path: String, until text: String) throws -> [String] {
    var bytes: [UInt8] = []
    let output = Output { piece throws(OutputError) in
      bytes += piece
      if String(decoding: bytes, as: UTF8.self).contains(text) { throw .readerGone }
    }
    let command = try CommandLineParser.parse(arguments + ["--socket", path], verbs: Verb.all)
    #expect(throws: OutputError.readerGone) {
      _ = try command.verb?.run(Invocation(command: command, output: output, style: Style()))
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("watch survives the end of a connection, and continues after what it has shown")
  func watchReconnects() throws {
    let daemon = try FakeDaemon { _, count, _ in
      .stream(
        [
          count == 0 ? Self.opened : #"{"position":8,"transition":\#(Self.transition)}"#,
          #"{"position":\#(count == 0 ? 7 : 8),"caughtUp":true,"generation":1}"#,
        ], ends: true)
    }
    let lines = try watched(["--json", "watch"], at: daemon.address.path, until: #""transition""#)
    let kinds = try lines.map { try JSONLine($0).text("kind") }
    #expect(kinds.prefix(5) == ["opened", "caughtUp", "away", "back", "transition"])
    #expect(lines.contains(#"{"kind":"back","after":7}"#))
    #expect(daemon.received[1].parameters.contains(#""after":7"#))
  }

  @Test("watch waits for an absent daemon, and --no-reconnect does not")
  func watchAbsent() throws {
    let path = "/nowhere/socket"
    let lines = try watched(["watch"], at: path, until: "waiting")
    #expect(
      lines == ["-- waiting for the daemon: cannot connect to /nowhere/socket: No such file or directory --"])
    #expect(throws: ServiceError.self) { try CapturedOutput().run(["watch", "--no-reconnect", "--socket", path]) }
  }

  @Test("log -f waits for an absent daemon, and --no-reconnect does not")
  func followAbsent() throws {
    let path = "/nowhere/socket"
    let lines = try watched(["log", "-f"], at: path, until: "waiting")
    #expect(
      lines == ["-- waiting for the daemon: cannot connect to /nowhere/socket: No such file or directory --"])
    #expect(throws: ServiceError.self) { try CapturedOutput().run(["log", "-f", "--no-reconnect", "--socket", path]) }
    #expect(throws: UsageError.self) { try CapturedOutput().run(["log", "--no-reconnect", "--socket", path]) }
    // Nobody changes who may use a socket.
    #expect(throws: ServiceError.self) { try CapturedOutput().run(["log", "-f", "--socket", "/dev/null/socket"]) }
  }

  /// A daemon that has position 7 and ends each subscription; after the first one, it no longer has what it had.
  private func forgetful(_ refusal: VarlinkError) throws -> FakeDaemon {
    try FakeDaemon { call, _, _ in
      let after = call.parameterObject?["after"]?.asInt64
      switch call.method {
      case "org.scrolld.Observer.Subscribe":
        return after == nil
          ? .stream([#"{"position":7,"caughtUp":true,"generation":1}"#], ends: true) : .error(refusal)
      default:
        let isLost = after == 3
        let position = isLost ? 4 : 7
        return .stream(
          after == 7
            ? ["{}"]
            : [
              #"{"position":\#(position),"received":1,"client":"\#(isLost ? "new" : "old")","user":0,"#
                + #""session":"\#(Self.session)","record":{"kind":"close","time":1,"reason":"asked"}}"#
            ], ends: true)
      }
    }
  }

  @Test("log -f --no-reconnect ends with the connection, and says how to continue")
  func followOnce() throws {
    let daemon = try forgetful(VarlinkError("org.scrolld.Observer.PositionTakenBack"))
    let failure = try thrown(Failure.self) {
      try CapturedOutput().run(["log", "-f", "--no-reconnect", "--socket", daemon.address.path])
    }
    #expect(failure.message.hasPrefix("lost the connection to "))
    #expect(failure.hint == "To continue after what was shown, use --after 7.")
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
    #expect(people.text.contains("  Session: \(Self.session)\n  Open since: "))
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
      (none, ["status", "a", "--at", "3"], "no client “a” has a session at position 3 that you may see"),
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

  @Test(
    "A name that the log does not have may be meant as a pattern or as the beginning of an id, and the hint says so")
  func hintsAboutNames() throws {
    let none = try FakeDaemon { call, _, _ in
      call.method == "org.scrolld.Observer.Sessions"
        ? .stream(["{}"], ends: true) : .error(VarlinkError("org.scrolld.Observer.NoSuchClient"))
    }
    for verb in [["status"], ["explain"], ["scroll-to"]] {
      func hint(_ name: String) throws -> String {
        let arguments = verb + [name] + (verb == ["scroll-to"] ? ["top"] : []) + ["--socket", none.address.path]
        return try thrown(Failure.self) { try CapturedOutput().run(arguments) }.hint ?? ""
      }
      #expect(try hint("demo/*") == "Give the whole name: * ? and [ are not patterns here.")
      #expect(try hint("5ab2022a").contains("reader/main@5ab2022a"))
      #expect(try hint("demo").hasPrefix("“scrollctl sessions” lists"))
    }
  }

  @Test("log -f shows only what is new with -n 0, and makes a recording only of one client or session")
  func followOptions() throws {
    let daemon = try FakeDaemon { call, _, _ in
      if call.method == "org.scrolld.Observer.Subscribe" {
        return .stream([#"{"position":7,"caughtUp":true,"generation":1}"#], ends: false)
      }
      guard call.parameterObject?["after"]?.asInt64 == 7 else { return .stream(["{}"], ends: true) }
      let line =
        #"{"position":8,"received":1,"client":"new","user":0,"session":"\#(Self.session)","record":{"kind":"close","time":1,"reason":"asked"}}"#
      return .stream([line], ends: true)
    }
    let lines = try watched(["log", "-f", "-n", "0", "--json"], at: daemon.address.path, until: "close")
    #expect(lines.count == 1)
    let socket = ["--socket", daemon.address.path]
    #expect(throws: UsageError.self) { try CapturedOutput().run(["log", "-n", "0"] + socket) }
    for arguments in [[], ["a*"], ["a", "b"]] {
      let error = try thrown(UsageError.self) {
        try CapturedOutput().run(["log", "-f", "-o", "ndjson-recording"] + arguments + socket)
      }
      #expect(error.description.hasPrefix("log needs one CLIENT or SESSION with --follow"))
    }
  }

  @Test("A moment before a client's sessions may be meant by the other clock, and the hint says so")
  func otherClock() throws {
    let none = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Observer.NoSuchClient")) }
    let failure = try thrown(Failure.self) {
      try CapturedOutput().run(["status", "a", "--at", "2020-11-30 09:15", "--socket", none.address.path])
    }
    #expect(failure.message == "no client “a” has a session of that time that you may see")
    #expect(
      failure.hint?.hasPrefix("The time is by the daemon's clock; with --by event-time, it is by the client's.") == true
    )
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
    let people = try run(["log", Self.session], handler)
    #expect(people.lines[0] == "-- times by the daemon's clock --")
    #expect(people.lines[1].hasSuffix("a\\u{7} #1  scroll x 0 y 1.5 source program"))
    #expect(people.lines[1].hasPrefix("      2  "))
  }

  /// A log of 1,000 records of two clients, one a second.
  private func longLog() throws -> FakeDaemon {
    try FakeDaemon { call, _, _ in
      if call.method == "org.scrolld.Observer.Subscribe" {
        return .stream([#"{"position":1000,"caughtUp":true,"generation":1}"#], ends: true)
      }
      let after = call.parameterObject?["after"]?.asInt64 ?? 0
      let client = call.parameterObject?["client"]?.asString
      let limit = call.parameterObject?["limit"]?.asInt64 ?? .max
      let entries = (after + 1..<1001).lazy.filter { client == nil || client == ($0 % 2 == 0 ? "even" : "odd") }
        .prefix(Int(clamping: limit))
        .map { position in
          #"{"position":\#(position),"received":\#(position)000000,"client":"\#(position % 2 == 0 ? "even" : "odd")","user":0,"#
            + #""session":"\#(Self.session)","number":\#(position),"#
            + #""record":{"kind":"scroll","time":\#((position + 1000) * 1_000_000),"x":0,"y":1}}"#
        }
      return .stream(after >= 1000 ? ["{}"] : Array(entries), ends: true)
    }
  }

  @Test(
    "log selects as journalctl does",
    arguments: [
      (["-n", "3"], [998, 999, 1000]),
      (["-n", "2", "even"], [998, 1000]),
      (["-n", "2", "o*"], [997, 999]),
      (["-r", "-n", "3"], [1000, 999, 998]),
      (["-r", "--since", "@998"], [1000, 999, 998]),
      (["--since", "@3", "--until", "@5"], [3, 4, 5]),
      (["--since", "@997.5", "e*", "odd"], [998, 999, 1000]),
      (["--since", "@3", "--until", "@5", "-n", "1"], [5]),
      (["--until", "@2"], [1, 2]),
      (["--limit", "2", "e*"], [2, 4]),
      (["--after", "998"], [999, 1000]),
      (["--by", "event-time", "--since", "@1999"], [999, 1000]),
      (["--since", "@2000"], []),
    ] as [([String], [Int64])])
  func logSelection(_ arguments: [String], _ positions: [Int64]) throws {
    let daemon = try longLog()
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "log", "--socket", daemon.address.path] + arguments) == .done)
    #expect(try captured.lines.map { try JSONLine($0).integer("position") } == positions)
  }

  @Test("log reads little to find the newest records")
  func logNewest() throws {
    let daemon = try longLog()
    #expect(try CapturedOutput().run(["log", "-n", "3", "--socket", daemon.address.path]) == .done)
    let reads = daemon.received.filter { $0.method == "Read" }
    #expect(reads.map(\.parameters) == [#"{"after":744}"#])
  }

  @Test("log -o ndjson-recording prints a recording, and refuses sessions that overlap")
  func logRecording() throws {
    let daemon = try longLog()
    let captured = CapturedOutput()
    #expect(
      try captured.run(["log", "-o", "ndjson-recording", "--limit", "1", "--socket", daemon.address.path]) == .done)
    #expect(captured.text == #"{"kind":"scroll","time":1001000000,"x":0,"y":1}"# + "\n")
    let other = String(Self.session.reversed())
    let mixed = try FakeDaemon { _, _, _ in
      .stream(
        [Self.session, other].map { session in
          #"{"position":7,"received":4,"client":"a","user":0,"session":"\#(session)","#
            + #""record":{"kind":"open","time":4,"client":"a","policy":"safari"}}"#
        }, ends: true)
    }
    #expect(throws: Failure.self) {
      try CapturedOutput().run(["log", "-o", "ndjson-recording", "--socket", mixed.address.path])
    }
    for arguments in [
      ["-o", "xml"], ["-f", "-r"], ["--limit", "1", "-n", "1"], ["--by", "moon"], ["-o", "short", "--json"],
    ] {
      #expect(throws: UsageError.self) {
        try CapturedOutput().run(["log"] + arguments + ["--socket", daemon.address.path])
      }
    }
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
    #expect(people.lines[1].hasSuffix("  a  open “T”, policy p\\u{7}"))
    #expect(people.lines[2].hasSuffix("  a  request to scroll to page 2"))
    #expect(people.lines[3].hasSuffix("  a  response to 8: not done (busy)"))
  }

  @Test("log names the owner of other users' clients, because names may be the same")
  func logOwners() throws {
    let nobody = UInt32.max - 7
    let replies = [geteuid(), nobody].map { user in
      #"{"position":7,"received":4,"client":"a","user":\#(user),"session":"\#(Self.session)","#
        + #""record":{"kind":"close","time":4}}"#
    }
    let people = try run(["log", "a"]) { _, _, _ in .stream(replies, ends: true) }
    #expect(people.lines[1].hasSuffix("  a  close"))
    #expect(people.lines[2].hasSuffix("  a of \(nobody)  close"))
  }

  @Test(
    "A session's id that two users have given needs --uid, whatever reads it",
    arguments: [["check"], ["fold"], ["compare"], ["timeline"], ["sweep", "hideDistance=10..20"]])
  func idOfTwoUsers(verb: [String]) throws {
    @Sendable func replies(_ user: Int) -> [String] {
      let records = [
        #""record":{"kind":"open","time":4,"client":"a","policy":"safari","rule":"safari","parameters":[]}"#,
        #""number":1,"record":{"kind":"scroll","time":5,"x":0,"y":1}"#,
      ]
      return records.enumerated().map { index, record in
        #"{"position":\#(user + index),"received":4,"client":"a","user":\#(user),"session":"\#(Self.session)",\#(record)}"#
      }
    }
    let daemon = try FakeDaemon { call, _, _ in
      let user = call.parameterObject?["user"]?.asInt64
      return .stream([1000, 1010].filter { user == nil || Int64($0) == user }.flatMap(replies), ends: true)
    }
    let arguments = verb + [Self.session, "--socket", daemon.address.path]
    let failure = try thrown(Failure.self) { try CapturedOutput().run(arguments) }
    #expect(
      failure
        == Failure(
          "the users 1000 and 1010 both have a session \(Self.session)", hint: "Choose one with --uid."))
    _ = try CapturedOutput().run(arguments + ["--uid", "1010"])
    #expect(daemon.received.last?.parameters.contains(#""user":1010"#) == true)
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
    #expect(try captured.run(["log", "nobody", "--after", "7", "--socket", daemon.address.path]) == .failed)
    let pattern = try thrown(Failure.self) {
      try CapturedOutput().run(["log", "nobody/[1", "--socket", daemon.address.path])
    }
    #expect(pattern.hint == "The pattern is not complete: its last “[” has no “]”.")
  }

  @Test("log says that an empty log has no records, to people only")
  func emptyLog() throws {
    #expect(try run(["log"]) { _, _, _ in .stream(["{}"], ends: true) }.text == "-- no records --\n")
    for arguments in [["log", "--json"], ["log", "-o", "ndjson-recording"]] {
      #expect(try run(arguments) { _, _, _ in .stream(["{}"], ends: true) }.text.isEmpty)
    }
  }
}
