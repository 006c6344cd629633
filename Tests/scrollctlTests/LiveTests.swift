import Foundation
import ScrollClient
import ScrollJSON
import ScrollLog
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("With a real daemon", .serialized)
struct LiveTests {
  /// Runs `body` with a new daemon.
  private func withDaemon(
    configuration: String = "", _ body: (DemoDaemon, String) throws -> Void
  ) throws {
    let directory = try TemporaryDirectory(prefix: "scrolld-test-")
    defer { directory.remove() }
    let interruption = Interruption()
    defer { interruption.release() }
    let file = directory.path + "/scrolld.conf"
    try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try DemoDaemon(
      program: DemoDaemon.program(), directory: directory.path, configuration: file, interruption)
    try body(daemon, directory.path)
    try daemon.stop()
  }

  private func fixture(_ name: String) -> String {
    Fixtures.root.appendingPathComponent("recordings/\(name).ndjson").path
  }

  private func lines(_ arguments: [String]) throws -> [String] {
    let captured = CapturedOutput()
    #expect(try captured.run(arguments) == .done)
    return captured.lines.map(String.init)
  }

  @Test("demo prints transitions, and verifies that a restart changes nothing")
  func demo() throws {
    let text = try lines(["demo", "--speed", "50"])
    #expect(text.contains("+0.066 s  toolbar hidden, trigger scrollDown  — travelDown 36 ≥ hideDistance 10"))
    #expect(text.contains { $0.hasPrefix("413 events sent, 12 transitions pushed: the toolbar hid twice") })
    #expect(text.contains { $0.hasPrefix("The same state (toolbar shown), and the same 414 records") })
  }

  @Test("The daemon pushes the transitions that fold prints, and its log has the recording")
  func pushedIsFolded() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      for name in try Fixtures.names(in: "recordings") {
        let path = fixture(name)
        let client = "test/\(name)"
        let sent = try JSONLine(#require(lines(["record", "--json", "--client", client, path] + socket).first))
        let session = try #require(sent.text("session"))
        #expect(try lines(["list"] + socket).last?.hasPrefix("0 clients; “scrollctl sessions” lists ") == true)

        let pushed = try transitions(daemon, of: client)
        let folded = try lines(["fold", "--json", path]).map { try expected($0) }
        #expect(pushed == folded)

        let logged = try lines(["--json", "log", session] + socket).map { try JSONLine($0) }
        let original = try Fixtures.recording(name, in: "recordings").events
        #expect(logged.compactMap { $0.integer("number") } == (0..<original.count).map { Int64($0 + 1) })
      }
    }
  }

  /// Once, all of these failed with "the log no longer has this position", although nobody had named one.
  @Test("A log that has lost its oldest records is read from its beginning, forwards and backwards")
  func trimmed() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", "--client", "a/old", fixture("article-read")] + socket)
      _ = try lines(["rotate"] + socket)
      _ = try lines(["record", "--client", "a/new", fixture("short-page")] + socket)
      let before = try lines(["log", "--json", "a/new"] + socket)
      _ = try lines(["vacuum", "--max-age", "0s"] + socket)
      #expect(try lines(["log", "--json"] + socket) == before, "the log still has the old segment")
      for arguments in [["-n", "5000"], ["--since", "yesterday"], ["--until", "now"], ["a/new", "-n", "5000"]] {
        #expect(try lines(["log", "--json"] + arguments + socket) == before, "\(arguments)")
      }
      #expect(try lines(["log", "--json", "-r"] + socket) == before.reversed())
      #expect(throws: Failure("the log has no record of “a/none” that you may see")) {
        try CapturedOutput().run(["log", "a/none", "-n", "1"] + socket)
      }
      let refusal = try thrown(ServiceError.self) { try CapturedOutput().run(["log", "--after", "0"] + socket) }
      guard case .positionTrimmed? = refusal.refusal else {
        Issue.record("unexpected error: \(String(describing: refusal))")
        return
      }
    }
  }

  @Test("A past state is the fold of the events until then")
  func past() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", fixture("article-to-bottom")] + socket)
      let client = "chromium/article-to-bottom"
      // Position 1 is the opening, which is line 1; position 373 is the event of line 373.
      let then = try JSONLine(#require(lines(["status", "--json", client, "--at", "373"] + socket).first))
      #expect(then.text("toolbar") == "shown")
      #expect(then.text("trigger") == "reachBottom")
      let before = try JSONLine(#require(lines(["status", "--json", client, "--at", "372"] + socket).first))
      #expect(before.text("toolbar") == "hidden")
      // The session was open at that moment, and is closed now.
      #expect(try lines(["status", client, "--at", "372"] + socket).contains { $0.hasPrefix("  Open since: ") })
      #expect(try lines(["status", client] + socket).contains { $0.hasPrefix("      Closed: ") })
      // The file's events have their lines as names, the daemon's their numbers.
      let online = try lines(["explain", client, "--at", "372"] + socket)
      let offline = try lines(["explain", fixture("article-to-bottom"), "--at", "372"])
      #expect(online.dropFirst().map { $0.replacing("Event 3,", with: "Line 4,") } == Array(offline.dropFirst()))
      // Each says first what is explained.
      let name = try #require(
        lines(["sessions", "--json", client] + socket).first.map { try JSONLine($0).text("session") })
      let session = try #require(name)
      #expect(online[0] == "\(client)@\(session.prefix(8)), after event 371, at +8.667 s")
      #expect(offline[0] == "article-to-bottom, after line 372, at +8.667 s")
    }
  }

  @Test("fold, compare and timeline show the same for a logged session and its recording")
  func loggedSessions() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      let path = fixture("article-to-bottom")
      let client = "chromium/article-to-bottom"
      let sent = try JSONLine(#require(lines(["record", "--json", path] + socket).first))
      let session = try #require(sent.text("session"))
      for subject in [client, session] {
        let folded = try lines(["fold", "--json", subject] + socket)
        #expect(try folded.map(expected) == transitions(daemon, of: client))
        let first = try JSONLine(#require(folded.first))
        #expect(first.integer("position") == 2)
        #expect(first.text("session") == session)
        #expect(first.integer("line") == nil)
        #expect(
          try lines(["fold", subject] + socket)[1]
            == "     3     +0.066 s  toolbar hidden, trigger scrollDown  — travelDown 36 ≥ hideDistance 10")
        let drawn = ["timeline", "--width", "90"]
        #expect(try lines(drawn + [subject] + socket) == lines(drawn + [path]))
        let policies = ["--policy", "classic", "--policy", "safari"]
        let rows = try lines(["compare", "--json", subject] + policies + socket)
        let offline = try lines(["compare", "--json", path] + policies)
        #expect(rows.count == offline.count)
        #expect(rows.suffix(2) == offline.suffix(2))
        #expect(try JSONLine(rows[0]).integer("number") == JSONLine(offline[0]).integer("line").map { $0 - 1 })
        #expect(try lines(["compare", subject] + policies + socket).contains { $0.contains("\(client)#") })
      }
      let none = String(repeating: "0", count: 32)
      #expect(throws: Failure("the log has no session \(none) that you may see")) {
        try CapturedOutput().run(["fold", none] + socket)
      }
      #expect {
        try CapturedOutput().run(["timeline", "nobody"] + socket)
      } throws: { error in
        (error as? Failure)?.message == "“nobody” is not a file, and no client “nobody” has a session that you may see"
      }
    }
  }

  @Test("Verbs that take files and clients take patterns and times, as reading does")
  func patternsAndTimes() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      let names = ["article-read", "pager"]
      for name in names { _ = try lines(["record", "--client", "reader/\(name)", fixture(name)] + socket) }
      _ = try lines(["record", "--client", "other", fixture("short-page")] + socket)
      let tally = ["compare", "--json", "--summary", "--policy", "safari"]
      let files = try lines(tally + names.map(fixture))
      let counts = { (lines: [String]) in lines.map { $0.split(separator: "\"flickered\"")[0] } }
      #expect(try counts(lines(tally + ["reader/*"] + socket)) == counts(files))
      #expect(try counts(lines(tally + ["reader/*", "--since", "1 hour ago"] + socket)) == counts(files))
      let swept = ["sweep", "--json", "hideDistance=10..20:10"]
      #expect(try lines(swept + ["reader/*"] + socket) == lines(swept + names.map(fixture)))
      let folded = try lines(["fold", "reader/*"] + socket)
      #expect(folded.filter { $0.hasSuffix(":") } == ["reader/article-read:", "reader/pager:"])
      let drawn = try lines(["timeline", "reader/*"] + socket)
      for name in names { #expect(drawn.contains { $0.hasPrefix("\(name): ") }) }
      #expect(try lines(["check", "reader/*"] + socket).count == 2)
      for verb in [["fold"], ["check"], ["timeline"], ["compare"], ["sweep", "hideDistance=1..2"]] {
        #expect(throws: Failure("no client of the log that you may see matches “nobody/*”")) {
          try CapturedOutput().run(verb + ["nobody/*"] + socket)
        }
        #expect(throws: Failure("no client of the log that you may see matches “reader/*” in the given time")) {
          try CapturedOutput().run(verb + ["reader/*", "--until", "1 hour ago"] + socket)
        }
        let message = "the daemon received nothing of the session of other in the given time"
        #expect(throws: Failure(message)) {
          try CapturedOutput().run(verb + ["other", "--until", "1 hour ago"] + socket)
        }
        #expect(throws: UsageError.self) {
          try CapturedOutput().run(verb + ["other", "--since", "now", "--until", "1 hour ago"] + socket)
        }
      }
    }
  }

  /// Once, status printed seconds, which --at took for a time before the event.
  @Test("The times that status prints are times for --at, by the client's clock")
  func timesOfStatus() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", fixture("article-to-bottom")] + socket)
      let client = "chromium/article-to-bottom"
      for position in ["5", "372"] {
        let printed = try lines(["status", client, "--at", position] + socket)
        let since = try #require(printed.first { $0.contains(" since 2") })
        let words = since.split(separator: ";")[0].split(separator: " ")
        let time = words.suffix(2).joined(separator: " ")
        let explained = try lines(["explain", client, "--by", "event-time", "--at", time] + socket)
        #expect(explained[1] == "The toolbar is hidden (policy safari).")
        #expect(explained[0].hasSuffix(", after event 3, at +0.066 s"), "\(explained[0])")
      }
    }
  }

  @Test("The forms in which verbs print events and sessions are moments and subjects of status and explain")
  func printedForms() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      for name in ["article-to-bottom", "pager"] {
        _ = try lines(["record", "--client", "reader", fixture(name)] + socket)
      }
      let summaries = try lines(["sessions", "--json", "--sort", "events"] + socket).map { try JSONLine($0) }
      let ids = summaries.compactMap { $0.text("session") }
      // By the daemon's order, the newest session is that of the pager.
      let current = try JSONLine(#require(lines(["status", "--json", "reader"] + socket).first))
      let newest = try #require(current.text("session"))
      let older = try #require(ids.first { $0 != newest })
      for event in ["#3", "reader#3", "reader #3", "reader@\(older.prefix(8)) #3", "\(older)#3"] {
        for subject in [older, "reader@\(older.prefix(8))"] {
          let state = try JSONLine(#require(lines(["status", "--json", subject, "--at", event] + socket).first))
          #expect(state.text("session") == older && state.text("trigger") == "scrollDown", "\(event)")
          #expect(try lines(["explain", subject, "--at", event] + socket)[0].hasSuffix(", after event 3, at +0.066 s"))
        }
      }
      #expect(try lines(["status", older] + socket).contains { $0.hasPrefix("      Closed: ") })
      #expect(try lines(["status", older, "--at", "#3"] + socket).contains { $0.hasPrefix("  Open since: ") })
      #expect(try lines(["status", newest] + socket) == lines(["status", "reader"] + socket))
      #expect(
        try lines(["status", "--at", "reader #3", "reader"] + socket)
          == lines(["status", "--at", "#3", "reader"] + socket))
      let other = try thrown(Failure.self) {
        try CapturedOutput().run(["status", "reader", "--at", "reader@\(older.prefix(8))#3"] + socket)
      }
      #expect(other.message.contains("is an event of another session than \(newest) of reader"))
      let missing = try thrown(Failure.self) {
        try CapturedOutput().run(["status", String(repeating: "0", count: 32)] + socket)
      }
      #expect(missing.message.hasPrefix("the log has no session 0000"))
    }
  }

  @Test("A time in whole seconds, as tables have it, means its second if nothing happened before")
  func wholeSeconds() throws {
    try withDaemon { daemon, directory in
      let socket = ["--socket", daemon.address.path]
      let path = directory + "/a.ndjson"
      let text = [
        #"{"kind":"open","time":1790000000201000,"client":"a"}"#,
        #"{"kind":"layout","time":1790000001235000,"contentHeight":5000,"frameHeight":500}"#,
        #"{"kind":"scroll","time":1790000001300000,"x":0,"y":100}"#, #"{"kind":"close","time":1790000002000000}"#,
      ]
      try text.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
      _ = try lines(["import", path] + socket)
      func place(_ time: String) throws -> String {
        try lines(["explain", "a", "--by", "event-time", "--at", time] + socket)[0]
      }
      // The session was opened within this second, and had no event yet.
      #expect(try place("2026-09-21T14:13:20Z").hasSuffix(", before its first event"))
      let state = ["status", "--json", "a", "--by", "event-time", "--at", "2026-09-21T14:13:20Z"]
      #expect(try JSONLine(#require(lines(state + socket).first)).text("toolbar") == "shown")
      // Something has happened by then, so that the time is what it says.
      #expect(try place("2026-09-21T14:13:21Z").hasSuffix(", before its first event"))
      #expect(try place("2026-09-21T14:13:21.235Z").contains(", after event 1,"))
      #expect(try place("2026-09-21T14:13:22Z").contains(", after event 2,"))
      let early = try thrown(Failure.self) { try place("2026-09-21T14:13:19Z") }
      #expect(early.message.hasPrefix("the newest session of a was not open yet by then: it was opened at 2026-09-21 "))
      let events = text.filter { !$0.contains("open") }
      try events.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try lines(["explain", path, "--at", "2026-09-21T14:13:21Z"])[0].contains(", after line 2,"))
    }
  }

  @Test("A time in the future is an error, by either clock")
  func future() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", "--client", "reader", fixture("pager")] + socket)
      for verb in ["status", "explain"] {
        for clock in [[], ["--by", "event-time"]] {
          let failure = try thrown(Failure.self) {
            try CapturedOutput().run([verb, "reader", "--at", "@9999999999"] + clock + socket)
          }
          #expect(failure.message.hasPrefix("--at is in the future: 2286-11-2"), "\(failure.message)")
        }
      }
      let file = try thrown(Failure.self) {
        try CapturedOutput().run(["explain", fixture("pager"), "--at", "@9999999999"])
      }
      #expect(file.message.hasPrefix("--at is in the future: 2286-11-2"))
      let position = try thrown(Failure.self) {
        try CapturedOutput().run(["status", "reader", "--at", "99999"] + socket)
      }
      #expect(position.message.hasPrefix("position 99999 is beyond the end of the log: its last position is "))
    }
  }

  @Test("verify and forgotten ask the daemon at a socket where its state is")
  func stateOfASocket() throws {
    try withDaemon { daemon, directory in
      let socket = ["--socket", daemon.address.path]
      #expect(try lines(["verify"] + socket) == lines(["verify", directory + "/state"]))
      #expect(try lines(["forgotten"] + socket) == ["\(directory)/state: nothing was forgotten."])
      let failure = try thrown(Failure.self) { try CapturedOutput().run(["verify", "--socket", "/nowhere/socket"]) }
      #expect(
        failure.message.hasPrefix(
          "cannot ask the daemon that --socket selects for its state directory: cannot connect to "))
      let held = try thrown(Failure.self) {
        _ = try CapturedOutput().run(["backup", directory + "/copy"] + socket)
        return try CapturedOutput().run(["restore", directory + "/copy", "-D", directory + "/state"])
      }
      #expect(held.hint?.contains("systemctl") == false)
    }
  }

  @Test(
    "An argument that matches nothing in the log is named, and the exit status is 1",
    arguments: ["log", "sessions", "list"])
  func unmatchedPatterns(verb: String) throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", "--client", "reader", fixture("pager")] + socket)
      let limits = verb == "log" ? [[], ["-n", "1"], ["--since", "1 hour ago"]] : [[]]
      for limit in limits {
        #expect(try CapturedOutput().run([verb, "nothing/*", "read*"] + limit + socket) == .failed, "\(limit)")
        #expect(try CapturedOutput().run([verb, "r*", "read*"] + limit + socket) == .done, "\(limit)")
      }
      let alone = Result { try CapturedOutput().run([verb, "nothing/*"] + socket) }
      #expect((try? alone.get()) != .done)
    }
  }

  /// Once, a client and a pattern that matches it made a count of flickers double.
  @Test("A session that several arguments select counts once", arguments: ["compare", "sweep", "reading"])
  func overlappingArguments(verb: String) throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", "--client", "reader", fixture("article-read")] + socket)
      let arguments =
        switch verb {
        case "compare": ["compare", "--summary", "--policy", "safari"]
        case "sweep": ["sweep", "showDistance=1..4"]
        default: ["reading"]
        }
      let once = try lines(arguments + ["reader*"] + socket)
      #expect(try lines(arguments + ["reader*", "reader", "r*"] + socket) == once)
    }
  }

  @Test("A session's name beside others of its client selects it")
  func sessionNames() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      for name in ["article-read", "pager"] {
        _ = try lines(["record", "--client", "reader", fixture(name)] + socket)
      }
      let names = try lines(["fold", "reader*"] + socket).filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
      #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("reader@") })
      let tally = ["compare", "--json", "--summary", "--policy", "safari"]
      let fixtures = try ["article-read", "pager"].map { try counted(lines(tally + [fixture($0)])) }
      for (name, expected) in zip(names, fixtures) {
        #expect(try counted(lines(tally + [name] + socket)) == expected)
        #expect(try lines(["reading", "--json", name] + socket).count == 2)
        #expect(try lines(["explain", name] + socket) == lines(["explain", name, "--at", "now"] + socket))
      }
      #expect {
        try CapturedOutput().run(["fold", "reader@00000000"] + socket)
      } throws: { error in
        (error as? Failure)?.message.hasPrefix("“reader@00000000” is not a file, and no client “reader@00000000”")
          == true
      }
    }
  }

  @Test("A client's name takes its newest session, and the others are reported with a pattern that takes all")
  func otherSessions() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      for (client, name) in [("P01", "article-read"), ("P01", "pager"), ("P010", "pager"), ("P02", "pager")] {
        _ = try lines(["record", "--client", client, fixture(name)] + socket)
      }
      func notes(_ clients: String...) throws -> [Failure] {
        let command = try CommandLineParser.parse(["compare"] + clients + socket, verbs: Verb.all)
        let invocation = Invocation(command: command, output: CapturedOutput().output, style: Style())
        let loader = try SessionLoader(invocation, reading: clients)
        _ = try loader.load(clients)
        return loader.others
      }
      let found = try notes("P01", "P02")
      #expect(found.count == 1)
      #expect(found.first?.message.hasPrefix("“P01” has 2 sessions, of which only the newest is taken: P01@") == true)
      #expect(found.first?.hint == "“scrollctl sessions P01” lists them; the pattern “[P]01” takes them all.")
      #expect(try notes("[P]01").isEmpty && notes("P01", "P01*").isEmpty)
      let compared = ["compare", "--summary", "--policy", "safari"]
      #expect(try lines(compared + ["[P]01"] + socket).last == "2 sessions from the log.")
      #expect(try lines(compared + ["P01"] + socket).last == "1 session from the log.")
      let mixed = try lines(compared + ["P0*", fixture("pager")] + socket).last
      #expect(mixed == "5 sessions: 1 from 1 file, 4 from the log.")
    }
  }

  /// The daemon restarts while the first line is printed.
  @Test("log -f continues after a daemon that restarts: it shows each record once")
  func followAcrossARestart() throws {
    let directory = try TemporaryDirectory(prefix: "scrolld-test-")
    defer { directory.remove() }
    let interruption = Interruption()
    defer { interruption.release() }
    func start() throws -> DemoDaemon {
      try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
    }
    var daemon = try start()
    let socket = ["--socket", daemon.address.path]
    _ = try lines(["record", "--client", "a", fixture("pager")] + socket)
    let before = try lines(["log"] + socket).count
    var (text, hasRestarted, failure) = ("", false, nil as (any Error)?)
    let output = Output { piece throws(OutputError) in
      text += String(decoding: piece, as: UTF8.self)
      do {
        if !hasRestarted {
          hasRestarted = true
          try daemon.stop()
          daemon = try start()
          _ = try self.lines(["record", "--client", "b", self.fixture("pager")] + socket)
        }
      } catch {
        failure = error
        throw .readerGone
      }
      if text.split(separator: "\n").count(where: { !$0.hasPrefix("--") }) >= 2 * (before - 1) { throw .readerGone }
    }
    let command = try CommandLineParser.parse(["log", "-f", "-n", "1000"] + socket, verbs: Verb.all)
    #expect(throws: OutputError.readerGone) {
      _ = try command.verb?.run(Invocation(command: command, output: output, style: Style()))
    }
    #expect(failure == nil)
    let shown = text.split(separator: "\n").map(String.init)
    let notes = shown.filter { $0.hasPrefix("--") }
    #expect(notes.count == 3)
    #expect(notes.dropFirst().first?.hasPrefix("-- waiting for the daemon: ") == true)
    #expect(notes.last == "-- the daemon is back --")
    #expect(try shown.filter { !$0.hasPrefix("--") } == Array(lines(["log"] + socket).dropFirst()))
    try daemon.stop()
  }

  /// A tally without its places of flickers, which are named differently in files and in the log.
  private func counted(_ lines: [String]) -> [Substring] { lines.map { $0.split(separator: "\"flickered\"")[0] } }

  @Test("explain, fold and timeline use the policy that a session was opened with")
  func ownPolicy() throws {
    let configuration = "[Policy readers]\nClients=chromium/*\nHideDistance=40\n"
    try withDaemon(configuration: configuration) { daemon, directory in
      let socket = ["--socket", daemon.address.path]
      let path = fixture("article-to-bottom")
      let client = "chromium/article-to-bottom"
      _ = try lines(["record", path] + socket)
      let offline = ["--policy", "readers", "--config", directory + "/scrolld.conf"]
      #expect(
        try lines(["fold", "--json", client] + socket).map(expected)
          == lines(["fold", "--json", path] + offline).map(expected))
      #expect(try lines(["fold", client] + socket)[1].contains("≥ hideDistance 40"))
      #expect(try lines(["timeline", client] + socket) == lines(["timeline", path] + offline))
      // With this policy, position 5 is the event that hides the toolbar: the file's line 5, the session's event 4.
      let explained = try lines(["explain", client, "--at", "6"] + socket)
      #expect(explained.contains { $0.contains("≥ hideDistance 40") })
      let other = try lines(["explain", client, "--at", "6", "--policy", "safari"] + socket)
      #expect(other.contains { $0.contains("≥ hideDistance 10") })
      let changed = try lines(["explain", client, "--at", "6", "--set", "hideDistance=20"] + socket)
      #expect(changed.contains { $0.contains("≥ hideDistance 20") })
    }
  }

  @Test("scroll-to reports the client's answer")
  func scrollTo() throws {
    try withDaemon { daemon, _ in
      let client = RequestedClient(daemon.address)
      let arguments = ["--wait", "30", "--socket", daemon.address.path]
      try client.open()
      #expect {
        try CapturedOutput().run(["scroll-to", RequestedClient.name, "top"] + arguments)
      } throws: { error in
        (error as? Failure)?.message == "the client “live/requested” is away: it is not listening for requests"
      }
      client.listen()
      #expect(
        try lines(["scroll-to", RequestedClient.name, "page", "2"] + arguments)
          == ["live/requested has scrolled to page 2 (request 2)."])
      #expect {
        try CapturedOutput().run(["scroll-to", RequestedClient.name, "-390,0"] + arguments)
      } throws: { error in
        (error as? Failure)?.message == "the client “live/requested” refused to scroll to -390,0: not now"
      }
      let log = try lines(["--json", "log", RequestedClient.name, "--socket", daemon.address.path])
      let kinds = ["open", "request", "response", "request", "response"]
      #expect(log.count == kinds.count)
      for (line, kind) in zip(log, kinds) { #expect(line.contains(#""record":{"kind":"\#(kind)","#)) }
    }
  }

  @Test("A follower sees requests and responses as they come")
  func followRequests() throws {
    try withDaemon { daemon, _ in
      let client = RequestedClient(daemon.address)
      try client.open()
      client.listen()
      let follower = try LogFollower(LogQuery(), at: daemon.address)
      while case .element(let update) = try follower.next(), update != .caughtUp {}
      _ = try ServiceConnection(daemon.address).scroll(RequestedClient.name, to: .page(1))
      var found: [LogEntry.Record] = []
      let deadline = ContinuousClock.now + .seconds(25)
      // Neither an event nor a heartbeat comes within this time.
      while found.count < 2,
        case .element(.entry(let entry)) = try follower.next(timeout: max(.zero, deadline - .now))
      {
        found.append(entry.record)
      }
      guard found.count == 2, case .request(let request) = found[0], case .response(let response) = found[1] else {
        Issue.record("a request and its response must come: \(found)")
        return
      }
      #expect(request.target == .page(1))
      #expect(response.done)
    }
  }

  @Test("verify accepts an intact log, and reports damage by file and byte")
  func verify() throws {
    let directory = try TemporaryDirectory(prefix: "scrolld-test-")
    defer { directory.remove() }
    let interruption = Interruption()
    defer { interruption.release() }
    let daemon = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
    let socket = ["--socket", daemon.address.path]
    _ = try lines(["record", fixture("article-read")] + socket)
    _ = try lines(["rotate"] + socket)
    _ = try lines(["record", fixture("pager")] + socket)
    try daemon.stop()
    let state = directory.path + "/state"
    #expect(try lines(["verify", state]).allSatisfy { $0.contains(": ok, positions ") })

    let names = try FileManager.default.contentsOfDirectory(atPath: state + "/log").sorted()
    let first = state + "/log/" + (try #require(names.first { $0.hasSuffix(".scrolllog") }))
    // In the middle, because the file may already be packed, and its length is unknown.
    try flip(byte: UInt64(Data(contentsOf: URL(fileURLWithPath: first)).count / 2), of: first)
    let captured = CapturedOutput()
    #expect(try captured.run(["verify", state]) == .failed)
    #expect(captured.text.contains("\(first): byte "))
    #expect(captured.text.contains("“scrollctl repair” makes the good records of this file readable"))
    let repaired = try lines(["repair", state])
    #expect(repaired.contains { $0.hasPrefix("Lost: position") })
    // The only packed block was bad.
    #expect(repaired.last == "The file has no other record.")
    let verified = try lines(["verify", state])
    #expect(verified.contains { $0.contains(": a repair could not keep position") })
    #expect(verified.allSatisfy { !$0.contains(": damaged") })
  }

  @Test("vacuum removes the oldest part of the log, and the rest stays readable")
  func vacuum() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", fixture("pager")] + socket)
      _ = try lines(["rotate"] + socket)
      _ = try lines(["record", fixture("pager")] + socket)
      #expect(
        try lines(["vacuum", "--max-age", "1day"] + socket) == [
          "Freed 0 bytes; the log begins at position 1.",
          "The daemon removes whole files, and never the one that it writes to; “scrollctl rotate” starts a new one.",
        ])
      let done = try JSONLine(#require(lines(["--json", "vacuum", "--max-use", "1K"] + socket).first))
      let first = try #require(done.integer("firstPosition"))
      #expect(first > 1)
      #expect(try #require(done.integer("freed")) > 0)
      let logged = try lines(["--json", "log"] + socket).map { try JSONLine($0) }
      #expect(logged.first?.integer("position") == first)
      #expect(throws: ServiceError.refused(.positionTrimmed(first: first))) {
        try CapturedOutput().run(["log", "--after", "0"] + socket)
      }
    }
  }

  @Test("A client whose name looks like a session's id is found by its name")
  func clientCalledLikeASession() throws {
    try withDaemon { daemon, _ in
      let socket = ["--socket", daemon.address.path]
      let name = String(repeating: "0a", count: 16)
      for client in [name, "other"] {
        _ = try lines(["record", "--client", client, fixture("pager")] + socket)
      }
      let records = try lines(["--json", "log", name] + socket).count
      #expect(records > 100)
      #expect(try lines(["--json", "fold", name] + socket).isEmpty == false)
      #expect(try lines(["export", name] + socket).count > 100)
      #expect(try lines(["forget", name, "--yes"] + socket) == ["Forgot \(records) records of “\(name)”."])
      #expect(try !lines(["--json", "log", "other"] + socket).isEmpty)
    }
  }

  @Test("forget removes a session or a client from all files")
  func forget() throws {
    try withDaemon { daemon, directory in
      let socket = ["--socket", daemon.address.path]
      var sessions: [String] = []
      for client in ["test/secret", "test/secret", "test/other"] {
        let sent = try lines(["record", "--json", "--client", client, fixture("pager")] + socket)
        let line = try JSONLine(#require(sent.first))
        sessions.append(try #require(line.text("session")))
      }
      #expect(try lines(["forget", sessions[0], "--yes"] + socket).first?.hasPrefix("Forgot ") == true)
      #expect(throws: Failure.self) { try CapturedOutput().run(["--json", "log", sessions[0]] + socket) }
      #expect(try !lines(["--json", "log", sessions[1]] + socket).isEmpty)
      #expect(try lines(["forget", "test/secret", "--yes"] + socket).first?.hasPrefix("Forgot ") == true)
      for (name, isPattern) in [("test/secret", false), ("test/*", true)] {
        do {
          _ = try lines(["forget", name, "--yes"] + socket)
          Issue.record("something of \(name) was forgotten")
        } catch let failure as Failure {
          #expect(failure.message == "the log has nothing of “\(name)”")
          #expect((failure.hint != nil) == isPattern)
        }
      }
      #expect(try !lines(["--json", "log", "test/other"] + socket).isEmpty)
      let log = URL(fileURLWithPath: directory + "/state/log")
      for file in try FileManager.default.contentsOfDirectory(at: log, includingPropertiesForKeys: nil) {
        #expect(try Data(contentsOf: file).range(of: Data("test/secret".utf8)) == nil)
      }
    }
  }

  @Test("repair sets damage aside that keeps a daemon from starting, and reports what is lost")
  func repair() throws {
    let directory = try TemporaryDirectory(prefix: "scrolld-test-")
    defer { directory.remove() }
    let interruption = Interruption()
    defer { interruption.release() }
    let daemon = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
    let socket = ["--socket", daemon.address.path]
    _ = try lines(["record", fixture("article-read")] + socket)
    let state = directory.path + "/state"
    #expect(throws: OpenError.locked(path: state + "/lock")) { try CapturedOutput().run(["repair", state]) }
    try daemon.stop()
    let segment = state + "/log/00000000000000000001.scrolllog"
    try flip(byte: 2000, of: segment)

    let planned = try JSONLine(#require(lines(["--json", "repair", "--dry-run", state]).first))
    #expect(planned.text("directory") == state)
    #expect(try CapturedOutput().run(["verify", state]) == .failed)
    let done = try lines(["repair", state])
    #expect(done.first?.hasPrefix("\(segment), byte ") == true)
    let lost = try #require(done.first { $0.hasPrefix("Lost: positions ") })
    let positions = lost.split { !$0.isNumber }.map(String.init)
    // What is lost stays lost. Nothing more can be done about it, so it is no damage, but it is named.
    let verified = CapturedOutput()
    #expect(try verified.run(["verify", state]) == .done)
    #expect(verified.lines.allSatisfy { !$0.contains(": byte ") })
    let note = "\(segment): a repair could not keep positions \(positions[0]) to \(positions[1]): "
    #expect(verified.lines.count { $0.hasPrefix(note) } == 1)
    let again = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
    let read = ["log", "--json", "--socket", again.address.path]
    // Whoever reads across the gap gets everything else.
    let across = CapturedOutput()
    #expect(try across.run(read) == .done)
    let behind = try lines(read + ["--after", positions[1]])
    #expect(!behind.isEmpty && behind.allSatisfy { across.lines.map(String.init).contains($0) })
    #expect(across.lines.count > behind.count)
    // Sessions that came later are whole, whatever reads them.
    let later = ["--socket", again.address.path]
    _ = try lines(["record", "--client", "later", fixture("pager")] + later)
    for verb in [
      ["log", "-n", "1"], ["log", "-r", "-n", "1"], ["status", "later"], ["explain", "later"],
      ["fold", "later"],
    ] {
      #expect(try !lines(verb + later).isEmpty, "\(verb)")
    }
    #expect(throws: Failure.self) { try CapturedOutput().run(["fold", "chromium/article-read"] + later) }
    try again.stop()
  }

  /// Flips a bit of a file.
  private func flip(byte offset: UInt64, of path: String) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: offset)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: [byte ^ 0x10])
    try file.close()
  }

  /// Returns all transitions of a client that a subscriber gets.
  private func transitions(_ daemon: DemoDaemon, of client: String) throws -> [Expected] {
    var query = SubscriptionQuery()
    query.clients = [client]
    query.after = 0
    let replies = try ServiceConnection(daemon.address).subscribe(query)
    var found: [Expected] = []
    while case .element(let reply) = try replies.next(timeout: .seconds(30)) {
      if case .caughtUp = reply.content { break }
      guard case .transition(let transition) = reply.content else { continue }
      let state = transition.state
      found.append(
        Expected(
          time: state.time?.rawValue, changed: transition.changed, toolbar: "\(state.toolbar.name)",
          trigger: state.trigger.map { "\($0.name)" }, y: state.y, reason: transition.reason))
    }
    return found
  }

  private func expected(_ line: String) throws -> Expected {
    let object = try JSONLine(line)
    return Expected(
      time: object.integer("time"), changed: object.texts("changed") ?? [], toolbar: object.text("toolbar"),
      trigger: object.text("trigger"), y: object.number("y"), reason: object.text("reason"))
  }

  /// What the daemon and fold both report of a transition.
  private struct Expected: Equatable {
    var time: Int64?
    var changed: [String]
    var toolbar: String?
    var trigger: String?
    var y: Double?
    var reason: String?
  }
}
