import JSON
import Platform
import ScrollClient
import ScrollClientTesting
import ScrollLog
import ScrollModel
import Testing
import Varlink

@testable import scrollctl

@Suite("sessions")
struct SessionsVerbTests {
  private static func summary(_ low: UInt64, _ client: String, _ more: String) -> String {
    #"{"summary":{"client":"\#(client)","user":0,"session":"\#(SessionID(high: 0, low: low))","policy":"safari","#
      + #""position":\#(low),"opened":\#(low)000000,"received":\#(low)000000,"lastReceived":\#(low + 1)000000,\#(more)}}"#
  }

  private static let summaries = [
    summary(
      1, "reader",
      #""title":"T\n","application":"App","closed":9,"reason":"asked","whole":true,"events":12,"#
        + #""duration":65400000,"reach":0.456,"flips":4,"flickers":1"#),
    summary(2, "cut", #""closed":9,"reason":"idle","whole":false,"events":1200"#),
    summary(3, "open", #""whole":true,"events":0,"duration":0,"flips":0,"flickers":0"#),
  ]

  private func daemon() throws -> FakeDaemon {
    try FakeDaemon { _, _, _ in .stream(Self.summaries, ends: true) }
  }

  /// Runs the verb, and returns the first words of the clients' column.
  private func clients(_ arguments: String...) throws -> [String] {
    let daemon = try daemon()
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "sessions", "--socket", daemon.address.path] + arguments) == .done)
    return captured.lines.compactMap { line in
      line.split(separator: "\"").dropFirst(3).first.map(String.init)
    }
  }

  @Test("The table has a row for each session, and what is unknown is -")
  func table() throws {
    let daemon = try daemon()
    let captured = CapturedOutput()
    #expect(try captured.run(["sessions", "--socket", daemon.address.path, "r*"]) == .done)
    let rows = captured.lines.map { $0.split(separator: "  ").map { $0.filter { $0 != " " } } }
    #expect(rows.count == 8)
    #expect(
      rows[1].dropFirst() == [
        "open", "root", "-", "-", "0.000s+", "0", "-", "0", "0", "safari", "\(SessionID(high: 0, low: 3))",
      ])
    #expect(
      rows[2].dropFirst() == [
        "cut", "root", "-", "-", "-", "1200", "-", "-", "-", "safari", "\(SessionID(high: 0, low: 2))*",
      ])
    #expect(
      rows[3].dropFirst() == [
        "reader", "root", "App", "T\\u{A}", "1:05.400", "12", "45.6%", "4", "1", "safari",
        "\(SessionID(high: 0, low: 1))",
      ])
    #expect(
      captured.lines.suffix(3) == [
        "3 sessions, 1 open. OPENED is by the clients' clocks.", "+ marks open sessions.",
        "* marks sessions of which the log may lack records.",
      ])
    #expect(daemon.received.map(\.parameters) == [#"{"clients":["r*"]}"#])
  }

  @Test("On a terminal, the table fits its width, and names the columns that do not", arguments: [60, 80, 100, 132])
  func widths(columns: Int) throws {
    let long = Self.summary(
      7, "reader/window with a long name", #""title":"A title of more than a few words","whole":true,"events":1234567"#)
    let daemon = try FakeDaemon { _, _, _ in .stream(Self.summaries + [long], ends: true) }
    let captured = CapturedOutput()
    var style = Style()
    style.columns = columns
    #expect(try captured.run(["sessions", "--socket", daemon.address.path], style: style) == .done)
    #expect(captured.lines.map { String($0).columnWidth }.max() ?? 0 <= columns)
    let heading = captured.lines[0].split(separator: " ")
    for name in ["OPENED", "CLIENT", "DURATION", "FLIPS"] { #expect(heading.contains("\(name)")) }
    #expect(captured.lines[1].contains("reader/window"))
    let note = captured.lines.drop { !$0.isEmpty }.joined(separator: " ")
    for name in ["USER", "APPLICATION", "TITLE", "EVENTS", "REACH", "FLICKERS", "POLICY", "SESSION"] {
      #expect(heading.contains("\(name)") != note.contains(name), "\(name)")
    }
  }

  @Test("Sessions are selected and sorted")
  func selection() throws {
    #expect(try clients() == ["open", "cut", "reader"])
    #expect(try clients("--open") == ["open"])
    #expect(try clients("--closed", "-r") == ["reader", "cut"])
    #expect(try clients("--sort", "events", "-n", "2") == ["cut", "reader"])
    #expect(try clients("--sort", "client") == ["cut", "open", "reader"])
    #expect(try clients("--sort", "flickers") == ["reader", "open", "cut"])
    #expect(try clients("--since", "@3.5") == ["open"])
    #expect(try clients("--until", "@1.5") == ["reader"])
    #expect(try clients("--until", "@3.5", "--since", "@2.5") == ["open", "cut"])
    // An imported session: the client's clock had stopped long before the daemon received it.
    #expect(try clients("--until", "@3.5", "--since", "@2.5", "--by", "event-time") == ["open"])
    #expect(throws: UsageError.self) { try clients("--by", "title") }
    #expect(throws: UsageError.conflict("open", "closed")) { try clients("--open", "--closed") }
    #expect(throws: UsageError.self) { try clients("--sort", "age") }
  }

  /// The clock was at 9 s when the session was opened, and was then set back to 2 s.
  @Test("A session whose client's clock was set back is found by the times of its opening and of its end")
  func clockSetBack() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .stream([Self.summary(9, "back", #""closed":2000000,"whole":true,"events":2,"duration":1000000"#)], ends: true)
    }
    for (times, isFound) in [
      (["--since", "@8.5"], true), (["--until", "@2.5"], true), (["--since", "@4", "--until", "@5"], true),
      (["--since", "@9.5"], false), (["--until", "@1.5"], false),
    ] {
      let captured = CapturedOutput()
      let arguments = ["--json", "sessions", "--by", "event-time", "--socket", daemon.address.path] + times
      #expect(try captured.run(arguments) == .done)
      #expect(captured.lines.count == (isFound ? 1 : 0), "\(times)")
    }
  }

  @Test("A damaged part of the log is reported, and the listing continues after it")
  func damage() throws {
    let damage = VarlinkError("org.scrolld.Observer.LogDamaged") {
      $0.member("file", "/log/4.scrolllog")
      $0.member("offset", 99)
      $0.member("next", 21)
    }
    let daemon = try FakeDaemon { call, _, _ in
      call.parameterObject?["after"]?.asInt64 == 20
        ? .stream([Self.summaries[2]], ends: true) : .broken([Self.summaries[0]], damage)
    }
    let captured = CapturedOutput()
    #expect(try captured.run(["sessions", "--json", "--socket", daemon.address.path]) == .failed)
    #expect(captured.lines.count == 2)
  }

  @Test("A pattern that matches nothing fails, and what the others match is listed")
  func unmatched() throws {
    let daemon = try daemon()
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "sessions", "--socket", daemon.address.path, "r*", "nobody"]) == .failed)
    #expect(captured.lines.count == 3)
  }

  // MARK: import, which asks for the sessions that the log has

  private static let opening = #"{"kind":"open","time":1,"client":"a/b","policy":"safari"}"#
  private static let event = #"{"kind":"scroll","time":2,"x":0,"y":5}"#
  private static let closing = #"{"kind":"close","time":3}"#

  private func withFile(_ lines: [String], _ body: (String) throws -> Void) throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-test-")
    defer { folder.remove() }
    let path = folder.path + "/a.ndjson"
    let file = try POSIXFileSystem().create(path)
    try Array(lines.map { $0 + "\n" }.joined().utf8).withUnsafeBytes { try file.write($0, at: 0) }
    try body(path)
  }

  @Test("import sends nothing of sessions that the log has, and does not wait for each answer to others")
  func pipedImport() throws {
    let ids = (1...4).map { SessionID(high: 0, low: $0) }
    let lines = ids.flatMap { id in
      [String(Self.opening.dropLast() + #","session":"\#(id)"}"#)] + Array(repeating: Self.event, count: 12)
        + [Self.closing]
    }
    let daemon = try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Sessions": return .stream([Self.summaries[0]], ends: true)
      case "org.scrolld.Manager.Import":
        let id = call.parameterObject?["session"]?.asString ?? ""
        if id == "\(ids[2])" { return .error(VarlinkError("org.scrolld.Recorder.SessionClosed")) }
        return .reply(#"{"session":"\#(id)","nextNumber":1,"generation":1}"#)
      case "org.scrolld.Recorder.Append":
        if call.parameterObject?["session"]?.asString == "\(ids[2])" {
          return .error(VarlinkError("org.scrolld.Recorder.SessionClosed"))
        }
        return .reply(#"{"position":9,"nextNumber":13,"durable":true,"generation":1}"#)
      case "org.scrolld.Manager.EndImport":
        if call.parameterObject?["session"]?.asString == "\(ids[2])" {
          return .error(VarlinkError("org.scrolld.Recorder.SessionClosed"))
        }
        return .reply("{}")
      default: return .reply("{}")
      }
    }
    try withFile(lines) { path in
      let captured = CapturedOutput()
      let status = try captured.run(["import", path, "--socket", daemon.address.path])
      #expect(status == .failed)
      #expect(
        captured.lines.map(String.init) == [
          "reader: session \(ids[0]) is already in the log", "a/b: imported 12 events as session \(ids[1])",
          "a/b: imported 12 events as session \(ids[3])",
        ])
      let calls = daemon.received.map(\.method)
      #expect(calls.filter { $0 == "Import" }.count == 3)
      #expect(calls.filter { $0 == "EndImport" }.count == 3)
    }
  }
}
