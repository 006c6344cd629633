import Foundation
import JSON
import Platform
import ScrollClient
import ScrollClientTesting
import ScrollLog
import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("export and import")
final class ExportVerbTests {
  private static let whole = SessionID(high: 1, low: 1)
  private static let cut = SessionID(high: 2, low: 2)
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory(prefix: "scrollctl-test-") }

  deinit { folder.remove() }

  private static func entry(
    _ position: Int, _ client: String, _ session: SessionID, _ record: String, number: Int? = nil
  ) -> String {
    #"{"position":\#(position),"received":\#(position * 10),"client":"\#(client)","user":0,"session":"\#(session)","#
      + (number.map { #""number":\#($0),"# } ?? "") + #""record":\#(record)}"#
  }

  private static let opening = #"{"kind":"open","time":1,"client":"a/b","policy":"safari"}"#
  private static let event = #"{"kind":"scroll","time":2,"x":0,"y":5}"#
  private static let closing = #"{"kind":"close","time":3,"reason":"asked"}"#

  /// A log with a session and the rest of a trimmed one.
  private func logDaemon() throws -> FakeDaemon {
    let cut = Self.entry(4, "late", Self.cut, Self.event, number: 9)
    let whole = [
      Self.entry(5, "a/b", Self.whole, Self.opening), Self.entry(6, "a/b", Self.whole, Self.event, number: 1),
      Self.entry(8, "a/b", Self.whole, Self.closing),
    ]
    let id = "\(Self.whole)"
    return try FakeDaemon { call, _, _ in
      let session = call.parameterObject?["session"]?.asString
      return .stream(session == id ? whole : [cut] + whole, ends: true)
    }
  }

  @Test("export writes a session with its id, and skips one without its beginning with status 1")
  func standardOutput() throws {
    let daemon = try logDaemon()
    let captured = CapturedOutput()
    #expect(try captured.run(["export", "--socket", daemon.address.path]) == .failed)
    let opening = Self.opening.dropLast() + #","session":"\#(Self.whole)","received":50}"#
    #expect(captured.lines.map(String.init) == [String(opening), Self.event, Self.closing])
    // The log is read once.
    #expect(daemon.received.map(\.parameters) == ["{}"])
    #expect(try CapturedOutput().run(["export", "a*", "--socket", daemon.address.path]) == .done)
    // A session that was written is no reason to look for a client of this name, and to write the session again.
    let one = CapturedOutput()
    let calls = daemon.received.count
    #expect(try one.run(["export", "\(Self.whole)", "--socket", daemon.address.path]) == .done)
    #expect(one.lines == captured.lines && daemon.received.count == calls + 1)
    #expect(throws: Failure("no client of the log that you may see matches “b*”")) {
      try CapturedOutput().run(["export", "b*", "--socket", daemon.address.path])
    }
    let partial = CapturedOutput()
    #expect(try partial.run(["export", "a*", "b*", "--socket", daemon.address.path]) == .failed)
    #expect(partial.lines.count == 3)
  }

  @Test("--csv and --sqlite refuse standard output, and an input as the output")
  func tablePlaces() throws {
    #expect(throws: UsageError.self) { try CapturedOutput().run(["export", "--csv", "-"]) }
    #expect(throws: UsageError.self) { try CapturedOutput().run(["export", "--sqlite", "-"]) }
    let path = Fixtures.root.appendingPathComponent("recordings/short-page.ndjson").path
    let failure = try thrown(Failure.self) {
      try CapturedOutput().run(["export", "--sqlite", path, "--force", path])
    }
    #expect(failure.message == "\(path) is an input: it would be replaced by the output")
    let directory = (path as NSString).deletingLastPathComponent
    #expect(throws: Failure.self) { try CapturedOutput().run(["export", "--csv", directory, "--force", path]) }
    #expect(FileManager.default.fileExists(atPath: path))
  }

  /// A log whose middle is unreadable, where sessions that were open before may have records.
  private func damagedDaemon(next: Int64?) throws -> FakeDaemon {
    let (open, closed, late) = (SessionID(high: 3, low: 3), SessionID(high: 4, low: 4), SessionID(high: 5, low: 5))
    let before = [
      Self.entry(1, "closed", closed, Self.opening), Self.entry(2, "open", open, Self.opening),
      Self.entry(3, "closed", closed, Self.closing),
    ]
    let behind = [
      Self.entry(21, "open", open, Self.event, number: 9), Self.entry(22, "cut", Self.cut, Self.event, number: 2),
      Self.entry(23, "late", late, Self.opening),
    ]
    let damage = VarlinkError("org.scrolld.Observer.LogDamaged") {
      $0.member("file", "/log/4.scrolllog")
      $0.member("offset", 99)
      $0.member("next", ifPresent: next)
    }
    return try FakeDaemon { call, _, _ in
      let session = call.parameterObject?["session"]?.asString
      if session == "\(closed)" { return .stream([before[0], before[2]], ends: true) }
      if session == "\(late)" { return .stream([behind[2]], ends: true) }
      return call.parameterObject?["after"]?.asInt64 == 20 ? .stream(behind, ends: true) : .broken(before, damage)
    }
  }

  @Test("export writes the intact sessions of a damaged log, with status 1")
  func damagedLog() throws {
    let daemon = try damagedDaemon(next: 21)
    let captured = CapturedOutput()
    #expect(try captured.run(["export", "--socket", daemon.address.path]) == .failed)
    let openings = [(SessionID(high: 4, low: 4), 10), (SessionID(high: 5, low: 5), 230)].map {
      String(Self.opening.dropLast() + #","session":"\#($0.0)","received":\#($0.1)}"#)
    }
    #expect(captured.lines.map(String.init) == [openings[0], Self.closing, openings[1]])
    #expect(daemon.received.map(\.parameters) == ["{}", #"{"after":20}"#])
  }

  @Test("A session that was open at the damage is complete if its numbers continue, and with --damaged also if not")
  func openAtTheDamage() throws {
    let (whole, lossy) = (SessionID(high: 6, low: 6), SessionID(high: 7, low: 7))
    let before = [Self.entry(1, "whole", whole, Self.opening), Self.entry(2, "lossy", lossy, Self.opening)]
    let behind = [
      Self.entry(21, "whole", whole, Self.event, number: 1), Self.entry(22, "lossy", lossy, Self.event, number: 2),
    ]
    let damage = VarlinkError("org.scrolld.Observer.LogDamaged") {
      $0.member("file", "/log/4.scrolllog")
      $0.member("offset", 99)
      $0.member("next", 21)
    }
    let daemon = try FakeDaemon { call, _, _ in
      call.parameterObject?["after"]?.asInt64 == 20 ? .stream(behind, ends: true) : .broken(before, damage)
    }
    for (arguments, lines) in [(["export"], 2), (["export", "--damaged"], 4)] {
      let captured = CapturedOutput()
      #expect(try captured.run(arguments + ["--socket", daemon.address.path]) == .failed)
      #expect(captured.lines.count == lines)
    }
  }

  @Test("Sessions are exported in the order in which they began, although they overlap")
  func overlapping() throws {
    let ids = (1...3).map { SessionID(high: 8, low: $0) }
    let entries = [
      Self.entry(1, "a", ids[0], Self.opening), Self.entry(2, "b", ids[1], Self.opening),
      Self.entry(3, "b", ids[1], Self.event, number: 1), Self.entry(4, "a", ids[0], Self.event, number: 1),
      Self.entry(5, "b", ids[1], Self.closing), Self.entry(6, "c", ids[2], Self.opening),
      Self.entry(7, "a", ids[0], Self.closing),
    ]
    let daemon = try FakeDaemon { _, _, _ in .stream(entries, ends: true) }
    let captured = CapturedOutput()
    #expect(try captured.run(["export", "--flat", "--socket", daemon.address.path]) == .done)
    var expected: [String] = []
    for (id, client, received) in [(ids[0], "a", 10), (ids[1], "b", 20), (ids[2], "c", 60)] {
      expected.append("\(Self.opening.dropLast()),\"session\":\"\(id)\",\"received\":\(received)}")
      if client == "c" { continue }
      for record in [Self.event, Self.closing] {
        expected.append("\(record.dropLast()),\"client\":\"\(client)\",\"session\":\"\(id)\"}")
      }
    }
    #expect(captured.lines.map(String.init) == expected)
  }

  @Test("export writes what is before damage at the end of the log")
  func damagedEnd() throws {
    let daemon = try damagedDaemon(next: nil)
    let captured = CapturedOutput()
    #expect(try captured.run(["export", "--socket", daemon.address.path]) == .failed)
    #expect(captured.lines.count == 2)
  }

  @Test("Damage without a next position ends the export", arguments: [0, 1])
  func damageWithoutEnd(next: Int64) throws {
    let daemon = try damagedDaemon(next: next)
    #expect(throws: ServiceError.refused(.logDamaged(file: "/log/4.scrolllog", offset: 99, next: next))) {
      try CapturedOutput().run(["export", "--socket", daemon.address.path])
    }
  }

  @Test("--since and --until select sessions by their first and last record", arguments: [true, false])
  func times(isWithin: Bool) throws {
    let daemon = try logDaemon()
    // The daemon received the records 50 to 80 microseconds after 1970.
    let range = isWithin ? ["--since", "@0.00007", "--until", "@0.00007"] : ["--since", "@0.0001"]
    let arguments = ["export", "a/b", "--socket", daemon.address.path] + range
    if isWithin {
      #expect(try CapturedOutput().run(arguments) == .done)
    } else {
      #expect(throws: Failure.self) { try CapturedOutput().run(arguments) }
    }
  }

  @Test("--output writes each session to a file with a safe name, and replaces a file only with --force")
  func files() throws {
    let daemon = try logDaemon()
    let captured = CapturedOutput()
    let arguments = ["export", "a*", "--output", folder.path + "/out", "--socket", daemon.address.path]
    #expect(try captured.run(arguments) == .done)
    let path = folder.path + "/out/a_b-\(Self.whole).ndjson"
    #expect(captured.text == "\(path): 1 event of a/b\n")
    #expect(try LoadedSession.load(file: path).map(\.events.count) == [1])
    let refusal = Failure("\(path) exists already", hint: "Use --force to replace it, or choose another name.")
    #expect(throws: refusal) { try CapturedOutput().run(arguments) }
    try "stale".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try CapturedOutput().run(arguments + ["--force"]) == .done)
    #expect(try LoadedSession.load(file: path).map(\.events.count) == [1])
    #expect(try POSIXFileSystem().list(folder.path + "/out") == ["a_b-\(Self.whole).ndjson"])
  }

  private func file(_ name: String, _ lines: [String]) throws -> String {
    let path = folder.path + "/" + name
    let file = try POSIXFileSystem().create(path)
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    try text.withUnsafeBytes { try file.write($0, at: 0) }
    return path
  }

  /// A daemon that stores events, and has stored some already or closed the session.
  private func importDaemon(stored: Int = 0, isClosed: Bool = false) throws -> FakeDaemon {
    let entries = (0..<max(1, stored)).map { Self.entry($0 + 1, "a/b", Self.whole, Self.event, number: $0 + 1) }
    let closed = isClosed ? #""closed":2,"reason":"asked","# : ""
    let summary =
      #"{"summary":{"client":"a/b","user":\#(CurrentProcess.effectiveUser),"session":"\#(Self.whole)","policy":"safari","#
      + #""position":1,"opened":1,"received":1,"lastReceived":2,\#(closed)"whole":true,"events":\#(stored)}}"#
    return try FakeDaemon { call, _, _ in
      let id = call.parameterObject?["session"]?.asString ?? "\(Self.cut)"
      switch call.method {
      case "org.scrolld.Observer.Sessions" where stored > 0: return .stream([summary], ends: true)
      case "org.scrolld.Manager.Import":
        return isClosed
          ? .error(VarlinkError("org.scrolld.Recorder.SessionClosed"))
          : .reply(#"{"session":"\#(id)","nextNumber":\#(stored + 1),"generation":1}"#)
      case "org.scrolld.Recorder.Append":
        return .reply(#"{"position":9,"nextNumber":3,"durable":true,"generation":1}"#)
      case "org.scrolld.Observer.Read": return .stream(entries, ends: true)
      default: return .reply("{}")
      }
    }
  }

  @Test("--output leaves no directory of its own if there is nothing to put into it, and never removes yours")
  func emptyDirectory() throws {
    let daemon = try FakeDaemon { _, _, _ in .stream([Self.entry(1, "a", Self.cut, Self.event, number: 5)], ends: true)
    }
    let directory = folder.path + "/recordings"
    for isThere in [false, true] {
      if isThere { #expect(try Directory.make(directory, permissions: 0o700)) }
      #expect(
        try CapturedOutput().run(["export", "--output", directory, "--socket", daemon.address.path]) == .failed)
      #expect(Files.exists(directory) == isThere)
    }
  }

  @Test("import keeps id, times and reason, and skips stored events")
  func importing() throws {
    let opening = String(Self.opening.dropLast() + #","session":"\#(Self.whole)"}"#)
    let path = try file("a.ndjson", [opening, Self.event, Self.event, Self.closing])
    let daemon = try importDaemon(stored: 1)
    let captured = CapturedOutput()
    #expect(try captured.run(["import", path, "--socket", daemon.address.path]) == .done)
    #expect(captured.text == "a/b: imported 2 events as session \(Self.whole)\n")
    #expect(
      daemon.received.map(\.parameters) == [
        "{}", #"{"client":"a/b","time":1,"session":"\#(Self.whole)"}"#,
        #"{"session":"\#(Self.whole)","number":2,"events":[\#(Self.event)]}"#,
        #"{"session":"\#(Self.whole)","time":3,"reason":"asked"}"#,
      ])
  }

  @Test("--prefix precedes the clients' names, and is checked with them")
  func prefix() throws {
    let path = try file("a.ndjson", [Self.opening, Self.event, Self.closing])
    let daemon = try importDaemon()
    #expect(try CapturedOutput().run(["import", "--prefix", "desk2/", path, "--socket", daemon.address.path]) == .done)
    #expect(daemon.received.dropFirst().first?.parameters.hasPrefix(#"{"client":"desk2/a/b","#) == true)
    let long = String(repeating: "x", count: 253)
    #expect(throws: Failure("\(path):1: client has 256 bytes of UTF-8: it must have 1 to 255")) {
      try CapturedOutput().run(["import", "--prefix", long, path, "--socket", daemon.address.path])
    }
  }

  @Test("import derives the id of a session without one from its content")
  func derivedIDs() throws {
    let daemon = try importDaemon()
    let one = try file("one", [Self.opening, Self.event, Self.closing])
    let same = try file("same", [Self.opening, Self.event, Self.closing, Self.opening, Self.event])
    for path in [one, same] {
      #expect(try CapturedOutput().run(["import", path, "--socket", daemon.address.path]) == .done)
    }
    let imports = daemon.received.filter { $0.method == "Import" }.map(\.parameters)
    #expect(imports.count == 3)
    #expect(imports[0] == imports[1] && imports[0] != imports[2])
    // Without a close line, it ends with its last event.
    #expect(daemon.received.last?.parameters.hasSuffix(#","time":2}"#) == true)
    #expect(try CapturedOutput().run(["import", "--again", one, "--socket", daemon.address.path]) == .done)
    #expect(daemon.received.last { $0.method == "Import" }?.parameters == #"{"client":"a/b","time":1}"#)
  }

  @Test("import skips a session that the log has, and reports one that the log has in part")
  func known() throws {
    let opening = String(Self.opening.dropLast() + #","session":"\#(Self.whole)"}"#)
    let path = try file("a.ndjson", [opening, Self.event, Self.event, Self.closing])
    let captured = CapturedOutput()
    let complete = try importDaemon(stored: 2, isClosed: true)
    #expect(try captured.run(["import", path, "--socket", complete.address.path]) == .done)
    #expect(captured.text == "a/b: session \(Self.whole) is already in the log\n")
    // The log's name counts, not the one that it would get now.
    let renamed = CapturedOutput()
    #expect(
      try renamed.run(["import", "--prefix", "x/", path, "--socket", complete.address.path]) == .done)
    #expect(renamed.text == captured.text)
    let partial = try importDaemon(stored: 1, isClosed: true)
    let failure = Failure(
      "\(path): a/b: the daemon has already closed the session \(Self.whole); events in its log: 1, in the file: 2",
      hint: "To import it as a new session with a new id, use --again.")
    #expect(try leftOut(path, partial) == [failure])
    #expect(try CapturedOutput().run(["import", path, "--socket", partial.address.path]) == .failed)
  }

  /// Returns why an import leaves sessions out.
  private func leftOut(_ path: String, _ daemon: FakeDaemon) throws -> [Failure] {
    var failures: [Failure] = []
    try ImportPlan(path, name: path, givesNewIDs: false).send(to: ServiceConnection(daemon.address)) {
      if case .leftOut(let failure) = $0 { failures.append(failure) }
    }
    return failures
  }

  @Test("import leaves out a session that is refused, and imports the next ones")
  func leavingOut() throws {
    let ids = (1...3).map { SessionID(high: 0, low: $0) }
    let openings = ids.map { String(Self.opening.dropLast() + #","session":"\#($0)"}"#) }
    let path = try file("a.ndjson", openings.flatMap { [$0, Self.event, Self.closing] })
    let daemon = try FakeDaemon { call, _, _ in
      let id = call.parameterObject?["session"]?.asString ?? ""
      switch (call.method, id) {
      case ("org.scrolld.Manager.Import", "\(ids[0])"):
        return .error(VarlinkError("org.scrolld.Recorder.SessionClosed"))
      case ("org.scrolld.Manager.Import", "\(ids[1])"):
        return .error(VarlinkError("org.scrolld.Manager.ClientOpen") { $0.member("session", "\(Self.cut)") })
      case ("org.scrolld.Manager.Import", _): return .reply(#"{"session":"\#(id)","nextNumber":1,"generation":1}"#)
      case ("org.scrolld.Recorder.Append", _):
        return .reply(#"{"position":9,"nextNumber":2,"durable":true,"generation":1}"#)
      // The daemon has forgotten the first session: the only reply has no record.
      case ("org.scrolld.Observer.Read", _): return .reply("{}")
      default: return .reply("{}")
      }
    }
    let failures = [
      Failure(
        "\(path): a/b: the daemon has forgotten or removed the session \(ids[0]): it has no record left that you may see, and "
          + "its id is never used again", hint: "To import it as a new session with a new id, use --again."),
      Failure(
        "\(path):4: a/b: your client of this name has an open session, \(Self.cut)",
        hint: "Import again when that session is closed."),
    ]
    #expect(try leftOut(path, daemon) == failures)
    let captured = CapturedOutput()
    #expect(try captured.run(["import", path, "--socket", daemon.address.path]) == .failed)
    #expect(captured.text == "a/b: imported 1 event as session \(ids[2])\n")
  }

  @Test("import sends nothing of a bad file, and names file and line")
  func badFiles() throws {
    let daemon = try importDaemon()
    let bad = try file(
      "bad", [Self.opening, Self.event, Self.closing, Self.opening, #"{"kind":"scroll","time":2,"x":0}"#])
    #expect(throws: Failure("\(bad):5: y is missing: a scroll needs it")) {
      try CapturedOutput().run(["import", bad, "--socket", daemon.address.path])
    }
    let headless = try file("headless", [Self.event])
    #expect(throws: Failure("\(headless):1: no open line before this one: an import needs one")) {
      try CapturedOutput().run(["import", headless, "--socket", daemon.address.path])
    }
    #expect(daemon.received.isEmpty)
  }
}
